"""A persistent bash over pipes, as Anthropic's reference bash tool keeps one; one JSON line for each command.

The class below does what that tool does: ``/bin/bash`` (through ``/bin/sh -c``), each command followed by an echo of
a sentinel on stdin, stdout read up to it, stderr apart. ``$REFERENCE_COMMAND`` stands for its class attribute
``_BashSession.command``, which docs/how-to/harness.md sets to ``$SHELL``.
"""

import asyncio
import json
import os
import sys

SENTINEL = "<<exit>>"


class Session:
    command = os.environ.get("REFERENCE_COMMAND", "/bin/bash")

    async def start(self):
        pipe = asyncio.subprocess.PIPE
        self.process = await asyncio.create_subprocess_shell(
            self.command, start_new_session=True, bufsize=0, stdin=pipe, stdout=pipe, stderr=pipe, limit=1 << 24
        )

    async def run(self, command):
        self.process.stdin.write(command.encode() + f"; echo '{SENTINEL}'\n".encode())
        await self.process.stdin.drain()
        output = b""
        while SENTINEL.encode() not in output:
            piece = await asyncio.wait_for(self.process.stdout.read(1 << 16), 60)
            if not piece:
                break
            output += piece
        return output[: output.index(SENTINEL.encode())].decode() if SENTINEL.encode() in output else output.decode()


async def main(commands):
    session = Session()
    await session.start()
    for command in commands:
        print(json.dumps({"command": command, "output": await session.run(command), "exit": None}), flush=True)
    session.process.stdin.close()
    await session.process.wait()


asyncio.run(main(json.loads(sys.argv[1])))
