"""A model server on loopback that plays a fixed script to whatever agent asks, and notes what it was shown.

In: a JSON list of steps, one per turn of the model: ``{"shell": COMMAND}`` calls whichever shell tool the
request offers, ``{"tool": NAME, "args": {...}}`` a tool by name, ``{"text": ...}`` answers and ends the turn.
Out: the answers, in the wire format of the request (Anthropic Messages, OpenAI Chat Completions and Responses,
Gemini; streamed or not), and one line of JSON per request in the log: the step played, and the tool results
and texts that came since the model's last answer, in order.

Limits: a request that offers no shell tool (a title, a summary, a route) does not use up a step and gets a
short answer. A request that is sent again unchanged gets the same answer again. Once the steps are used up,
the answer is ``Done.``. Standard library only, so that it starts anywhere.
"""

from __future__ import annotations

import argparse
import contextlib
import gzip
import hashlib
import json
import threading
import uuid
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import urlsplit

#: The names under which agents offer a shell, and the argument that takes the command line.
SHELLS = {
    "Bash": "command",
    "bash": "command",
    "run_shell_command": "command",
    "exec_command": "cmd",
    "shell_command": "command",
}
#: What else such a tool may demand besides the command.
USUAL = {"description": "one step of the task", "is_background": False}


def offered(body):
    """The tools of a request: name -> schema of the arguments, whatever the format."""
    tools = {}
    for tool in body.get("tools") or []:
        declared = tool.get("functionDeclarations") or [tool.get("function") or tool]
        for one in declared:
            schema = one.get("parametersJsonSchema") or one.get("parameters") or one.get("input_schema") or {}
            tools[one.get("name") or one.get("type")] = schema
    return tools


def smallest(schema):
    """The smallest value that a JSON schema allows: side requests that want JSON get this."""
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type", "string")
    kind = (kind[0] if isinstance(kind, list) else kind).lower()
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: smallest(properties[name]) for name in schema.get("required", ()) if name in properties}
    return {"array": [], "integer": 1, "number": 1, "boolean": False}.get(kind, "ok")


def wanted_schema(body):
    """The JSON schema that a side request asks its answer in, or None."""
    config = body.get("generationConfig") or {}
    output = body.get("response_format") or (body.get("text") or {}).get("format") or body.get("output_config") or {}
    output = output.get("format") or output
    return (
        config.get("responseJsonSchema")
        or config.get("responseSchema")
        or output.get("schema")
        or (output.get("json_schema") or {}).get("schema")
    )


class Script:
    """The steps, and how far the agent has come."""

    def __init__(self, steps):
        self.steps = steps
        self.next = 0
        self.given = {}
        self.lock = threading.Lock()

    def answer(self, body):
        """The (step number or None, text, calls) that this request gets; the step is "again" for a repetition."""
        tools = offered(body)
        shell = next((name for name in tools if name in SHELLS), None)
        if shell is None:
            schema = wanted_schema(body)
            return None, json.dumps(smallest(schema)) if schema else "ok", []
        key = hashlib.sha256(json.dumps(body, sort_keys=True).encode()).digest()
        with self.lock:
            if key in self.given:
                return "again", *self.given[key]
            number = self.next
            step = self.steps[number] if number < len(self.steps) else {"text": "Done."}
            self.given[key] = (step.get("text", ""), self.calls(step, shell, tools[shell]))
            self.next += 1
            return number, *self.given[key]

    @staticmethod
    def calls(step, shell, schema):
        if "tool" in step:
            return [(step["tool"], step.get("args", {}))]
        if "shell" not in step:
            return []
        known = schema.get("properties", {})
        usual = {name: value for name, value in USUAL.items() if name in known}
        return [(shell, {SHELLS[shell]: step["shell"], **usual})]


def fresh(prefix):
    return prefix + uuid.uuid4().hex[:20]


# ---- one function per format: (text, calls) -> the events of the stream, or the whole object -------------


def anthropic(text, calls, model, stream):
    blocks = [{"type": "text", "text": text}] if text or not calls else []
    blocks += [{"type": "tool_use", "id": fresh("toolu_"), "name": name, "input": args} for name, args in calls]
    reason = "tool_use" if calls else "end_turn"
    usage = {"input_tokens": 100, "output_tokens": 20, "cache_creation_input_tokens": 0, "cache_read_input_tokens": 0}
    message = {
        "id": fresh("msg_"),
        "type": "message",
        "role": "assistant",
        "model": model,
        "content": blocks,
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": usage,
    }
    if not stream:
        return message
    events = [{"type": "message_start", "message": {**message, "content": [], "stop_reason": None}}]
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            empty, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": block["text"]}
        else:
            empty = {**block, "input": {}}
            delta = {"type": "input_json_delta", "partial_json": json.dumps(block["input"])}
        events += [
            {"type": "content_block_start", "index": index, "content_block": empty},
            {"type": "content_block_delta", "index": index, "delta": delta},
            {"type": "content_block_stop", "index": index},
        ]
    delta = {"stop_reason": reason, "stop_sequence": None}
    events += [{"type": "message_delta", "delta": delta, "usage": {"output_tokens": 20}}, {"type": "message_stop"}]
    return [(event["type"], event) for event in events]


def chat(text, calls, model, stream):
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    told = [
        {"id": fresh("call_"), "type": "function", "function": {"name": name, "arguments": json.dumps(args)}}
        for name, args in calls
    ]
    message = {"role": "assistant", "content": text, **({"tool_calls": told} if told else {})}
    reason = "tool_calls" if told else "stop"
    frame = {"id": fresh("chatcmpl-"), "created": 1, "model": model}
    if not stream:
        choice = {"index": 0, "message": message, "finish_reason": reason}
        return {**frame, "object": "chat.completion", "choices": [choice], "usage": usage}
    deltas = [({"role": "assistant", "content": text}, None)]
    deltas += [({"tool_calls": [{"index": index, **call}]}, None) for index, call in enumerate(told)]
    deltas += [({}, reason)]
    chunks = [
        {
            **frame,
            "object": "chat.completion.chunk",
            "usage": usage if end else None,
            "choices": [{"index": 0, "delta": delta, "finish_reason": end}],
        }
        for delta, end in deltas
    ]
    return [(None, chunk) for chunk in chunks] + [(None, "[DONE]")]


def responses(text, calls, model, stream):
    items = []
    if text or not calls:
        part = {"type": "output_text", "text": text, "annotations": []}
        items.append(
            {"type": "message", "id": fresh("msg_"), "role": "assistant", "status": "completed", "content": [part]}
        )
    for name, args in calls:
        items.append(
            {
                "type": "function_call",
                "id": fresh("fc_"),
                "call_id": fresh("call_"),
                "name": name,
                "arguments": json.dumps(args),
                "status": "completed",
            }
        )
    usage = {
        "input_tokens": 100,
        "input_tokens_details": {"cached_tokens": 0},
        "output_tokens": 20,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 120,
    }
    whole = {
        "id": fresh("resp_"),
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": model,
        "output": items,
        "usage": usage,
    }
    if not stream:
        return whole
    events = [{"type": "response.created", "response": {**whole, "status": "in_progress", "output": [], "usage": None}}]
    for index, item in enumerate(items):
        begun = {
            **item,
            "status": "in_progress",
            **({"content": []} if item["type"] == "message" else {"arguments": ""}),
        }
        events.append({"type": "response.output_item.added", "output_index": index, "item": begun})
        where = {"item_id": item["id"], "output_index": index}
        if item["type"] == "message":
            events.append({"type": "response.output_text.delta", **where, "content_index": 0, "delta": text})
        else:
            events.append({"type": "response.function_call_arguments.done", **where, "arguments": item["arguments"]})
        events.append({"type": "response.output_item.done", "output_index": index, "item": item})
    events.append({"type": "response.completed", "response": whole})
    return [(event["type"], {**event, "sequence_number": number}) for number, event in enumerate(events)]


def gemini(text, calls, model, stream):
    parts = [{"text": text}] if text or not calls else []
    parts += [{"functionCall": {"name": name, "args": args}} for name, args in calls]
    answer = {
        "candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP", "index": 0}],
        "modelVersion": model,
        "usageMetadata": {"promptTokenCount": 100, "candidatesTokenCount": 20, "totalTokenCount": 120},
    }
    return [(None, answer)] if stream else answer


def wire_format(path):
    """The format that a URL's path speaks, with whether the path itself asks for a stream; or (None, None)."""
    end = path.rsplit("/", 1)[-1]
    if end.endswith("enerateContent"):
        return gemini, end.endswith("streamGenerateContent")
    if path.endswith("/chat/completions"):
        return chat, None
    return {"messages": anthropic, "responses": responses}.get(end), None


# ---- what a request shows -------------------------------------------------------------------------------


def flat(content):
    """The text of a content, however deep the format nests it."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "\n".join(flat(one) for one in content)
    if isinstance(content, dict):
        for key in ("text", "content", "output", "response"):
            if key in content:
                return flat(content[key])
    return json.dumps(content)


def shown(body):
    """[role, text] of everything after the model's last answer."""
    news = []
    if isinstance(body.get("contents"), list):
        for message in reversed(body["contents"]):
            if message.get("role") == "model":
                break
            for part in reversed(message.get("parts", [])):
                reply = part.get("functionResponse")
                news.append(["tool", flat(reply["response"])] if reply else ["user", part.get("text", "")])
    elif isinstance(body.get("input"), list):
        for item in reversed(body["input"]):
            kind = item.get("type", "")
            if item.get("role") == "assistant" or kind in ("function_call", "reasoning"):
                break
            role = "tool" if kind.endswith("_output") else item.get("role", kind)
            news.append([role, flat(item.get("output", item.get("content")))])
    else:
        for message in reversed(body.get("messages") or []):
            if message.get("role") == "assistant":
                break
            content = message.get("content")
            for block in reversed(content if isinstance(content, list) else [content]):
                tool = isinstance(block, dict) and block.get("type") == "tool_result"
                news.append(["tool" if tool else message["role"], flat(block)])
    return news[::-1]


def standing(body):
    """The system prompt or instructions of a request, as one text."""
    system = [body.get(key) for key in ("system", "instructions", "systemInstruction", "system_instruction")]
    system += [m.get("content") for m in body.get("messages") or [] if m.get("role") in ("system", "developer")]
    return "\n".join(flat(one if not isinstance(one, dict) else one.get("parts", one)) for one in system if one)


class Handler(BaseHTTPRequestHandler):
    """One request of the agent."""

    protocol_version = "HTTP/1.1"

    def log_message(self, *args): ...

    def note(self, **fields):
        with self.server.lock:
            self.server.log.write(json.dumps({"path": self.path, **fields}) + "\n")
            self.server.log.flush()

    def whole(self, answer, status=200):
        data = json.dumps(answer).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data)

    def stream(self, events):
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        for name, event in events:
            head = f"event: {name}\n" if name else ""
            body = event if isinstance(event, str) else json.dumps(event)
            self.wfile.write(f"{head}data: {body}\n\n".encode())

    def do_HEAD(self):
        self.whole({})

    def do_GET(self):
        if urlsplit(self.path).path.endswith("/models"):
            self.whole(
                {"object": "list", "data": [{"id": "fake", "object": "model", "type": "model"}], "has_more": False}
            )
        else:
            self.whole({"error": {"type": "not_found_error", "message": "not served"}}, 404)

    def body(self):
        if "chunked" in self.headers.get("Transfer-Encoding", ""):
            raw = b""
            while size := int(self.rfile.readline().split(b";")[0], 16):
                raw += self.rfile.read(size)
                self.rfile.readline()
            self.rfile.readline()
        else:
            raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        if self.headers.get("Content-Encoding") == "gzip":
            raw = gzip.decompress(raw)
        try:
            body = json.loads(raw)
        except ValueError:
            return {}
        return body if isinstance(body, dict) else {}

    def do_POST(self):
        body = self.body()
        path = urlsplit(self.path).path
        form, streamed = wire_format(path)
        if form is None:
            counts = {"input_tokens": 100, "totalTokens": 100}
            known = "count" in path.rsplit("/", 1)[-1]
            return self.whole(counts if known else {"error": {"message": "not served"}}, 200 if known else 404)
        step, text, calls = self.server.script.answer(body)
        self.note(
            step=step, shown=shown(body), system=standing(body), tools=sorted(offered(body)), text=text, calls=calls
        )
        streamed = bool(body.get("stream")) if streamed is None else streamed
        answer = form(text, calls, body.get("model") or "fake", streamed)
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # an agent that went away tells that itself
            self.stream(answer) if streamed else self.whole(answer)
        return None


def main():
    """Serves until it is ended; prints its port once it listens."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("script", type=Path)
    parser.add_argument("log", type=Path)
    options = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    server.script = Script(json.loads(options.script.read_text()))
    server.log, server.lock = options.log.open("a"), threading.Lock()
    print(server.server_address[1], flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
