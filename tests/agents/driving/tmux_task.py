"""Drives tmux as Terminus 2 does: ``bash --login`` in a session, keys sent, the screen taken; one JSON line each."""

import json
import os
import subprocess
import sys
import time

NAME = f"task-{os.getpid()}"
LIMIT_S = 60


def tmux(*words):
    return subprocess.run(["tmux", "-L", NAME, *words], capture_output=True, text=True, check=False).stdout


def main(commands):
    subprocess.run(
        ["tmux", "-L", NAME, "new-session", "-x", "160", "-y", "40", "-d", "-s", NAME, "bash --login"], check=True
    )
    try:
        for number, command in enumerate(commands):
            tmux("send-keys", "-t", NAME, f"{command}; tmux -L {NAME} wait -S done-{number}", "Enter")
            waiting = subprocess.Popen(["tmux", "-L", NAME, "wait", f"done-{number}"])
            waiting.wait(timeout=LIMIT_S)
            # the screen is drawn a moment after the signal: take it until it stands still
            before, screen = None, tmux("capture-pane", "-p", "-t", NAME)
            while screen != before:
                time.sleep(0.3)
                before, screen = screen, tmux("capture-pane", "-p", "-t", NAME)
            print(json.dumps({"command": command, "output": screen, "exit": None}), flush=True)
            tmux("send-keys", "-t", NAME, "clear", "Enter")
    finally:
        tmux("kill-server")


main(json.loads(sys.argv[1]))
