"""Command lines: ``tabshell``, ``tab``, the shim's entry, the hooks' entry. One module per command, in rooms.

What launchers name (``bash``, ``tab_client``, ``hook``) lies flat here: it starts for every command, where one more
package would be felt, and a launcher in an agent's configuration outlives the version that wrote it.
"""
