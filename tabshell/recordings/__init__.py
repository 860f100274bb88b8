"""Recordings made elsewhere -> records, and sessions -> recordings for others.

One module for each foreign format, each with ``read(data) -> Recording``; ``all_recordings`` tells them apart.
Exports are ``to_asciicast``, ``to_atif``, ``to_jsonl``, ``prov`` and ``bundle``. Nothing here runs a command
or asks the disk for the files that a recording speaks of.
"""
