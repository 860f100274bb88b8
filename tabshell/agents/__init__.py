"""One module per agent: how to start it, how to tell its tool calls from its own doings, its hooks in and out.

``agent`` holds the Protocol and its types, ``all_agents`` the registry, ``shim_view`` what the shim asks for
every command (and therefore imports nothing else), ``data/`` the plugins that are written into a sidecar.
Pure: what an overlay writes and where, it only says; ``cli/agents/launch.py`` does it.
"""
