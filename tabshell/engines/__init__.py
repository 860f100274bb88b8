"""tabshell inside engines that run many sessions on many machines: Inspect AI, Harbor.

An engine gives a sandbox that can run a program and read and write a file; here a session is put into it and its
sidecar is brought home. What belongs to one engine imports it late, so that this package needs none of them.
"""
