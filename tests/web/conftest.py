"""A headless Chromium, spoken to through its debugging pipe (file descriptors 3 and 4, JSON ended by NUL)."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "fixtures" / "reports"))


class Page:
    """One tab of the browser."""

    def __init__(self, process: subprocess.Popen, to: int, back: int) -> None:
        self.process, self.to, self.back = process, to, back
        self.number, self.rest, self.session = 0, b"", None
        self.events: list[dict] = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Network", "Log"):
            self.send(f"{domain}.enable")

    def send(self, method: str, **parameters: object) -> dict:
        """Calls a method of the protocol and waits for its answer; events are kept."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                assert "error" not in answer, answer
                return answer["result"]
            self.events.append(answer)

    def receive(self) -> dict:
        """The next message."""
        while b"\0" not in self.rest:
            piece = os.read(self.back, 1 << 20)
            assert piece, "the browser ended"
            self.rest += piece
        line, _, self.rest = self.rest.partition(b"\0")
        return json.loads(line)

    def open(self, path: Path) -> None:
        """Loads a file and waits until it is there."""
        self.events.clear()
        self.send("Page.navigate", url=path.as_uri())
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive())

    def run(self, script: str) -> object:
        """The value of a JavaScript expression."""
        answer = self.send("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """A key, as a person presses it."""
        text = key if len(key) == 1 else ""
        self.send("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.send("Input.dispatchKeyEvent", type="keyUp", key=key)


@pytest.fixture(scope="module")
def page(tmp_path_factory):
    if CHROMIUM is None:
        pytest.skip("no Chromium here")
    read_in, write_in = os.pipe()
    read_out, write_out = os.pipe()
    profile = tmp_path_factory.mktemp("chromium")

    def place() -> None:
        os.dup2(read_in, 3)
        os.dup2(write_out, 4)

    process = subprocess.Popen(
        [
            "bash", "-c", f'exec "$@" 3<&{read_in} 4>&{write_out}', "bash",
            CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe", "--disable-dev-shm-usage",
            f"--user-data-dir={profile}", "--window-size=1280,900",
        ],
        pass_fds=(read_in, write_out), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        env={**os.environ, "HOME": str(profile)},
    )  # fmt: skip
    os.close(read_in)
    os.close(write_out)
    try:
        yield Page(process, write_in, read_out)
    finally:
        process.kill()
        process.wait()
        os.close(write_in)
        os.close(read_out)
