"""A model on loopback for Terminus: it answers each request of the Chat Completions kind with the next text of a list.

What it was shown last is kept, a line of JSON a request, so that a test can read what reached the model.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


class Replay:
    """A server while it is entered; ``shown`` are the last messages of the requests, in order."""

    def __init__(self, texts):
        self._texts = list(texts)
        self.shown = []
        self._lock = threading.Lock()
        outer = self

        class Asked(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                answer = json.dumps(outer.answer(body)).encode()
                self.send_response(200)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *words):
                return

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Asked)

    @property
    def url(self):
        return f"http://127.0.0.1:{self._server.server_port}/v1"

    def answer(self, body):
        with self._lock:
            self.shown.append(body["messages"][-1]["content"])
            text = self._texts.pop(0) if self._texts else "{}"
        message = {"role": "assistant", "content": text}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        used = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        return {
            "id": "r",
            "object": "chat.completion",
            "created": 1,
            "model": "fake",
            "choices": [choice],
            "usage": used,
        }

    def __enter__(self):
        threading.Thread(target=self._server.serve_forever, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._server.shutdown()
        self._server.server_close()


def step(*commands, done=False):
    """What Terminus wants to be told: keystrokes and whether that is all."""
    said = {"analysis": "as planned", "plan": "go on", "task_complete": done}
    return json.dumps({**said, "commands": [{"keystrokes": f"{one}\n", "duration": 1.5} for one in commands]})
