"""A session in a sandbox, seen from the engine: put there, worked through, brought home.

``record`` looks what the sandbox has, carries the core into it where tabshell is missing, and starts a session.
``Recorded`` runs commands through the session's bash and asks it things. ``bring_home`` closes it and copies its
sidecar to this machine, bounded in size; where the sandbox can no longer answer, what lies there is copied as it is.
All of it through the three operations of ``Sandbox``.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import platform
import shlex
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from tabshell.engines import carried
from tabshell.engines.hatch_calls import LONGEST, ask_words, run_words
from tabshell.engines.probe import SCRIPT, Found, check, found, lacks_python
from tabshell.engines.sandbox import Ran, Sandbox, SandboxLacks

_CALL = "sys.exit(main(sys.argv[1:]))"
#: Seconds for our own programs in a sandbox.
OWN_S = 300
_UNPACK = (
    "import sys,os,tarfile,tempfile,shutil\n"
    "home,name,python=sys.argv[1:4]\n"
    "made=tempfile.mkdtemp(prefix='.core-',dir=home)\n"
    "archive=tarfile.open(os.path.join(home,sys.argv[4]))\n"
    "archive.extractall(made,**({'filter':'data'} if hasattr(tarfile,'data_filter') else {}))\n"
    "open(os.path.join(made,'ready'),'w').write(python)\n"
    "os.chmod(made,0o700)\n"
    "try: os.rename(made,os.path.join(home,name))\n"
    "except OSError: shutil.rmtree(made)\n"
    "os.unlink(os.path.join(home,sys.argv[4]))\n"
)
#: Words: home, archive, name.
_UNPACK_PYTHON = """
mkdir -p "$1/python/.$3.$$" && cd "$1/python" && tar -xzf "$2" -C ".$3.$$" || exit 1
rm -f "$2"
for found in ".$3.$$/bin/python3" ".$3.$$"/*/bin/python3; do
  if [ -x "$found" ]; then [ -d "$3" ] || mv "${found%/bin/python3}" "$3"; rm -rf ".$3.$$"; exit 0; fi
done
echo "no bin/python3 in it" >&2
rm -rf ".$3.$$"
exit 1
"""


@dataclass(frozen=True, slots=True)
class Options:
    """What the session is started with. ``workspace``: a folder of the sandbox (None: its own folder). ``homes``:
    folders of the sandbox to try first for sidecars. ``carry``: a file of this machine, the gzipped tar of a Python
    that runs from any folder, for a sandbox that has none. The four switches are the paper's ablations."""

    workspace: str | None = None
    out: str | None = None
    task: str | None = None
    name: str | None = None
    agent: str | None = None
    model: str | None = None
    variant: str | None = None
    capture: bool = True
    review: bool = True
    evidence_check: bool = True
    finish_check: bool = True
    homes: tuple[str, ...] = ()
    carry: str | None = None
    user: str | None = None


@dataclass(frozen=True, slots=True)
class Recorded:
    """A session in a sandbox. All of it is text, so an engine can keep it with its sample and build it again."""

    session: str
    workspace: str
    bash: str
    program: tuple[str, ...]
    host: str
    user: str | None = None

    @property
    def shim(self) -> str:
        """The session's bash."""
        return f"{self.session}/bin/bash"

    @property
    def here(self) -> bool:
        """Whether the sandbox is this very machine, where nothing is thrown away by itself."""
        return self.host == platform.node()

    def environment(self, *, status: bool, most: int = 0) -> dict[str, str]:
        """What a command gets."""
        return {
            "TABSHELL_SESSION": self.session,
            "TABSHELL_STATUS": "stdout" if status else "off",
            "TABSHELL_SHOWN": str(most or ""),
            "SHELL": self.shim,
        }

    async def run(
        self,
        sandbox: Sandbox,
        command: str,
        *,
        timeout: int | None = None,
        login: bool = True,
        status: bool = True,
        most: int = 0,
    ) -> Ran:
        """A command, recorded in the session. ``most``: bytes of it that the model will be shown at most, as Inspect
        cuts them (``shown``); 0: all. Raises TimeoutError."""
        words = [*(["--login"] if login else []), "-c", command]
        if command.strip() and len(command) < LONGEST:
            words = run_words(self.session, self.bash, words, status=status, most=most)
        else:
            words = [self.shim, *words]
        environment = self.environment(status=status, most=most)
        return await sandbox.exec(
            words, cwd=self.workspace, env=environment, user=self.user, timeout=timeout, timeout_retry=False
        )

    async def tab(self, sandbox: Sandbox, *words: str, status: bool = True) -> Ran:
        """An operation on the tab, as the agent would call it in its shell."""
        return await self.run(sandbox, shlex.join(["tab", *words]), timeout=OWN_S, login=False, status=status)

    async def finish_check(self, sandbox: Sandbox) -> str | None:
        """The finish check at a stop; None if it was given before, is switched off, or nothing was recorded."""
        answer = await self.ask(sandbox, "finish", {})
        text: str | None = answer["text"]
        return text

    async def ask(self, sandbox: Sandbox, verb: str, fields: dict[str, Any]) -> dict[str, Any]:
        """An answer of the session in the sandbox. Raises SandboxLacks where it has none."""
        body = json.dumps({"session": self.session, **fields})
        words = ask_words(self.session, self.bash, verb, body, (*self.program, verb, self.session))
        return await _ask(sandbox, verb, words, None, self.workspace, self.user)


_Key = tuple[str | None, tuple[str, ...]]
#: What is known of sandboxes that are this very machine, by the user and the homes to try: one look is enough there.
_here: dict[_Key, Found] = {}
#: Sandboxes that were looked at, by their kind; and held while the first of a kind is, and while the warm process of
#: one that is this machine is started anew.
_looked: set[tuple[type, _Key]] = set()
_looking: dict[tuple[int, type, _Key], asyncio.Lock] = {}


async def record(sandbox: Sandbox, options: Options) -> Recorded:
    """Starts a session in a sandbox. Raises SandboxLacks, which says what is missing."""
    key = options.user, options.homes
    quick = await _started_here(sandbox, options, _here.get(key))
    if quick is not None:
        return quick
    kind = type(sandbox), key
    if kind in _looked and key not in _here:
        return await _started(sandbox, options)
    # the first of many samples goes ahead: where it finds itself on this machine, or starts the warm process there
    # anew, those beside it have it
    async with _looking.setdefault((id(asyncio.get_running_loop()), *kind), asyncio.Lock()):
        quick = await _started_here(sandbox, options, _here.get(key))
        if quick is not None:
            return quick
        if kind not in _looked or key in _here:
            try:
                return await _started(sandbox, options)
            finally:
                _looked.add(kind)
    return await _started(sandbox, options)


async def _started(sandbox: Sandbox, options: Options) -> Recorded:
    """A session made the long way: the sandbox is looked at, and a program of its Python asked."""
    what = await _prepared(sandbox, options)
    program = _program(what)
    answer = await _ask(
        sandbox, "start", [*program, "start", what.home or ""], _start_body(what, options), what.here, options.user
    )
    if what.host == platform.node():
        _here[options.user, options.homes] = what
    return Recorded(answer["session"], what.here, what.bash or "bash", program, what.host, options.user)


def _start_body(what: Found, options: Options) -> str:
    given = asdict(options)
    for name in ("homes", "carry", "user"):
        given.pop(name)
    given["workspace"] = what.here
    return json.dumps({"home": what.home, "bash": what.bash, "options": given})


async def _started_here(sandbox: Sandbox, options: Options, what: Found | None) -> Recorded | None:
    """A session made at the hatch of a home that is known; None where it takes the long way, whatever the reason."""
    if what is None:
        return None
    body = _start_body(what, options)
    if len(body) >= LONGEST or what.bash is None:
        return None
    words = ask_words(_warm_home(what), what.bash, "start", body)
    try:
        answer = await _ask(sandbox, "start", words, None, options.workspace, options.user)
    except (SandboxLacks, OSError):
        return None
    if "workspace" not in answer:
        return None
    return Recorded(answer["session"], answer["workspace"], what.bash, _program(what), what.host, options.user)


async def _probe(sandbox: Sandbox, options: Options) -> Found:
    words = ["sh", "-c", SCRIPT, "sh", carried.core_name(), *options.homes]
    ran = await sandbox.exec(words, cwd=options.workspace, user=options.user, timeout=OWN_S)
    if ran.returncode != 0 and "here " not in ran.stdout:
        msg = (
            f"the sandbox cannot run a shell script in {options.workspace or 'its own folder'} "
            f"(exit status {ran.returncode}: {ran.stderr.strip()[:200]}). tabshell needs sh, bash and python3 in it, "
            "and the workspace to be there"
        )
        raise SandboxLacks(msg)
    return found(ran.stdout)


#: One at a time on one machine, so that the core is carried once; sandboxes elsewhere do not wait for each other.
_carrying: dict[tuple[int, str, str], asyncio.Lock] = {}


async def _prepared(sandbox: Sandbox, options: Options) -> Found:
    """What the sandbox has, with the core in it where it needs one."""
    what = await _probe(sandbox, options)
    if options.carry is not None and lacks_python(what):
        await _carry_python(sandbox, what, options, Path(options.carry))
        what = await _probe(sandbox, options)
    check(what)
    if what.ready is not None or _is_installed(what):
        return what
    key = (id(asyncio.get_running_loop()), what.host, what.home or "")
    async with _carrying.setdefault(key, asyncio.Lock()):
        what = await _probe(sandbox, options)
        if what.ready is None:
            await _carry(sandbox, what, options)
            what = replace(what, ready=what.python)
    return what


def _is_installed(what: Found) -> bool:
    from tabshell import __version__  # noqa: PLC0415

    return what.installed == __version__


async def _carry_python(sandbox: Sandbox, what: Found, options: Options, file: Path) -> None:
    """Unpacks a Python beside the sessions, where the probe finds it."""
    try:
        data = await asyncio.to_thread(file.read_bytes)
    except OSError as error:
        msg = f"the Python to carry cannot be read: {file}: {error.strerror}"
        raise SandboxLacks(msg) from error
    name = hashlib.sha256(data).hexdigest()[:16]
    packed = f"{what.home}/.python-{name}.{id(sandbox)}.tar.gz"
    await sandbox.write_file(packed, data)
    words = ["sh", "-c", _UNPACK_PYTHON, "sh", what.home or "", packed, name]
    ran = await sandbox.exec(words, cwd=what.here, user=options.user, timeout=OWN_S)
    if ran.returncode != 0:
        msg = (
            f"{file} could not be unpacked in the sandbox ({ran.stderr.strip()[-200:]}); it must be a .tar.gz with "
            "bin/python3 in its top folder, and the sandbox needs tar and gzip"
        )
        raise SandboxLacks(msg)


async def _carry(sandbox: Sandbox, what: Found, options: Options) -> None:
    assert what.python is not None  # noqa: S101 - ``check`` has seen to it
    archive = await asyncio.to_thread(carried.core, what)
    name = carried.core_name()
    packed = f".{name}.{id(sandbox)}.tar.gz"
    await sandbox.write_file(f"{what.home}/{packed}", archive)
    words = [what.python, "-IS", "-c", _UNPACK, what.home or "", name, what.python, packed]
    ran = await sandbox.exec(words, cwd=what.here, user=options.user, timeout=OWN_S)
    if ran.returncode != 0:
        said = (ran.stderr or ran.stdout).strip().splitlines()
        msg = f"tabshell could not be unpacked in the sandbox's {what.home}: {said[-1] if said else 'no reason given'}"
        raise SandboxLacks(msg)


def _warm_home(what: Found) -> str:
    """Where the warm process has its hatch, see ``inside``."""
    home = what.home or ""
    return home if what.ready is None and _is_installed(what) else f"{home}/{carried.core_name()}"


def _program(what: Found) -> tuple[str, ...]:
    """How ``inside`` is called there."""
    if what.ready is None and _is_installed(what):
        return (what.python or "python3", "-I", "-m", "tabshell.engines.inside")
    library = f"{what.home}/{carried.core_name()}/lib"
    code = f"import sys; sys.path[:0] = [{library!r}]; from tabshell.engines.inside import main; " + _CALL
    return (what.ready or what.python or "python3", "-IS", "-c", code)


async def _ask(
    sandbox: Sandbox, verb: str, words: list[str], body: str | None, cwd: str | None, user: str | None
) -> dict[str, Any]:
    ran = await sandbox.exec(words, input=body, cwd=cwd, user=user, timeout=OWN_S, timeout_retry=False)
    try:
        answer: dict[str, Any] = json.loads(ran.stdout)
    except ValueError:
        said = (ran.stderr or ran.stdout).strip().splitlines()
        msg = (
            f"the session in the sandbox gave no answer to {verb!r}: {said[-1] if said else f'status {ran.returncode}'}"
        )
        raise SandboxLacks(msg) from None
    if not answer.get("ok"):
        msg = f"{verb!r} failed in the sandbox: {answer.get('error')}"
        raise SandboxLacks(msg)
    return answer
