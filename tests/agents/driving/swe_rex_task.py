"""Runs in the Python of SWE-ReX: the scripted commands in one session of its local runtime, one JSON line each."""

import asyncio
import json
import sys

from swerex.runtime.abstract import BashAction, CloseBashSessionRequest, CreateBashSessionRequest
from swerex.runtime.local import LocalRuntime


async def main(commands):
    runtime = LocalRuntime()
    await runtime.create_session(CreateBashSessionRequest())
    for command in commands:
        told = await runtime.run_in_session(BashAction(command=command, check="silent", timeout=60))
        print(json.dumps({"command": command, "output": told.output, "exit": told.exit_code}), flush=True)
    await runtime.close_session(CloseBashSessionRequest())
    await runtime.close()


asyncio.run(main(json.loads(sys.argv[1])))
