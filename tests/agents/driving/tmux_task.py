"""Drives tmux as Terminus 2 does: ``bash --login`` in a session, keys sent, the screen taken; one JSON line each."""

import json
import os
import subprocess
import sys
import tempfile
import time

LIMIT_S = 60


def tmux(*words):
    return subprocess.run(["tmux", *words], capture_output=True, text=True, check=False).stdout


def main(commands):
    subprocess.run(["tmux", "new-session", "-x", "160", "-y", "40", "-d", "-s", "task", "bash --login"], check=True)
    try:
        for command in commands:
            tmux("send-keys", "-t", "task", f"{command}; tmux wait -S done", "Enter")
            subprocess.run(["tmux", "wait", "done"], timeout=LIMIT_S, check=True)
            # the screen is drawn a moment after the signal: take it until it stands still
            before, screen = None, tmux("capture-pane", "-p", "-t", "task")
            while screen != before:
                time.sleep(0.3)
                before, screen = screen, tmux("capture-pane", "-p", "-t", "task")
            print(json.dumps({"command": command, "output": screen, "exit": None}), flush=True)
    finally:
        tmux("kill-server")


with tempfile.TemporaryDirectory() as place:
    os.environ["TMUX_TMPDIR"] = place
    main(json.loads(sys.argv[1]))
