"""What a sandbox has: bash, a Python that can carry the tab, a folder for sidecars that the workspace does not hold.

``SCRIPT`` is for ``sh -c`` with the workspace as current directory; its words are the name of the core (see
``carried``) and folders to try first. It prints one fact a line. ``found`` reads them. Pure.

A core that was unpacked before (in the image, or by the sample before on the same machine) is found by its name,
and then no Python is started at all.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from tabshell import __version__
from tabshell.engines.sandbox import SandboxLacks

#: The oldest Python that runs tabshell.
OLDEST = (3, 10)
_NAMES = "python3 python3.14 python3.13 python3.12 python3.11 python3.10 python /usr/bin/python3 /usr/local/bin/python3"
_ASK = (
    "import sys,os\n"
    "for m in ('sqlite3','zlib','fcntl','select','tarfile'):\n"
    "    try: __import__(m)\n"
    "    except Exception: print('without', m)\n"
    "try: libc=os.confstr('CS_GNU_LIBC_VERSION')\n"
    "except Exception: libc='musl'\n"
    "print('python', '%d.%d' % sys.version_info[:2], sys.implementation.cache_tag, (libc or 'musl').replace(' ','-'), "
    "os.path.realpath(sys.executable))\n"
    "try:\n"
    "    import tabshell, tree_sitter, tree_sitter_bash, pyte, ptyprocess, click\n"
    "    print('installed', tabshell.__version__, sys.executable)\n"
    "except Exception: pass\n"
)
SCRIPT = (
    """
core=$1; shift
here=$(pwd -P)
echo "here $here"
echo "machine $(uname -m)"
echo "host $(uname -n)"
bash=$(command -v bash) && echo "bash $bash"
id=$(id -u 2>/dev/null || echo 0)
for folder in "$@" ${TABSHELL_HOME:+"$TABSHELL_HOME"} "${TMPDIR:-/tmp}/tabshell-$id" "/var/tmp/tabshell-$id" """
    """"/dev/shm/tabshell-$id" "${HOME:-/nowhere}/.local/state/tabshell"; do
  case $folder in /*) ;; *) continue ;; esac
  (umask 077; mkdir -p "$folder/sessions") 2>/dev/null || { echo "unwritable $folder"; continue; }
  if (: >"$folder/.tabshell-probe") 2>/dev/null; then rm -f "$folder/.tabshell-probe"
  else echo "unwritable $folder"; continue; fi
  folder=$(cd "$folder" && pwd -P)
  case $folder/ in "${here%/}"/*)
    rmdir "$folder/sessions" "$folder" 2>/dev/null; echo "inside $folder"; continue ;;
  esac
  echo "home $folder"
  break
done
if [ -r "$folder/$core/ready" ]; then
  echo "ready $(cat "$folder/$core/ready")"
  exit 0
fi
ask='"""
    + _ASK.replace("'", "'\\''")
    + """'
for name in "$folder"/python/*/bin/python3 """
    + _NAMES
    + """; do
  python=$(command -v "$name") || continue
  "$python" -I -c "$ask" 2>/dev/null && exit 0
  echo "old $python"
done
exit 0
"""
)


@dataclass(frozen=True, slots=True)
class Found:
    """``home`` is the state directory of the sandbox. ``ready`` is the Python of a core that lies there already;
    ``installed`` the version of a tabshell that the Python found has by itself."""

    here: str
    machine: str
    host: str
    bash: str | None = None
    home: str | None = None
    ready: str | None = None
    python: str | None = None
    version: tuple[int, int] | None = None
    tag: str = ""
    libc: str = ""
    installed: str | None = None
    without: tuple[str, ...] = ()
    unwritable: tuple[str, ...] = ()
    inside: tuple[str, ...] = ()
    old: tuple[str, ...] = field(default=())


def found(text: str) -> Found:
    """What the script printed. Unknown lines are passed over."""
    one: dict[str, str] = {}
    many: dict[str, list[str]] = {"without": [], "unwritable": [], "inside": [], "old": []}
    version: tuple[int, int] | None = None
    tag = libc = ""
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        if word in many:
            many[word].append(rest)
        elif word == "python":
            dotted, tag, libc, one["python"] = rest.split(" ", 3)
            major, minor = dotted.split(".")
            version = int(major), int(minor)
        elif word == "installed":
            one["installed"], _, one["with"] = rest.partition(" ")
        else:
            one[word] = rest
    same = one.get("installed") == __version__
    return Found(
        one.get("here", ""), one.get("machine", ""), one.get("host", ""), one.get("bash"), one.get("home"),
        one.get("ready"), one["with"] if same else one.get("python"), version, tag, libc, one.get("installed"),
        tuple(many["without"]), tuple(many["unwritable"]), tuple(many["inside"]), tuple(many["old"]),
    )  # fmt: skip


def check(what: Found) -> None:
    """Raises SandboxLacks for the first thing that a session cannot do without."""
    if what.bash is None:
        msg = (
            "this sandbox has no bash, and it is bash whose commands are recorded. Add it to the image "
            "(apt-get install bash, apk add bash)"
        )
        raise SandboxLacks(msg)
    if what.here == "/":
        msg = (
            "the workspace would be the sandbox's root folder, which holds everything, the sidecar too. Name the "
            "folder of documents (workspace=...), or set a working directory in the image"
        )
        raise SandboxLacks(msg)
    if what.home is None:
        tried = ", ".join((*what.unwritable, *(f"{folder} (inside the workspace)" for folder in what.inside)))
        msg = (
            f"no folder of this sandbox can take the record; tried {tried}. Mount a writable one outside the workspace "
            "(an emptyDir or a tmpfs at /tmp does) and set TABSHELL_HOME to it where it has another name"
        )
        raise SandboxLacks(msg)
    if what.ready is None:
        _check_python(what)


def lacks_python(what: Found) -> bool:
    """Whether all is there but a Python that will do."""
    if what.ready is not None or what.home is None:
        return False
    return what.python is None or what.version is None or what.version < OLDEST or bool(what.without)


def _check_python(what: Found) -> None:
    oldest = ".".join(map(str, OLDEST))
    if what.python is None or what.version is None:
        tried = f" ({', '.join(what.old)} did not answer)" if what.old else ""
        msg = (
            f"this sandbox has no Python{tried}. tabshell needs python3 {oldest} or newer in it: add it to the image "
            "(apt-get install python3, apk add python3), or hand one over with carry=FILE: an archive (.tar.gz) of a "
            "Python that runs from any folder, such as the install_only ones of python-build-standalone"
        )
        raise SandboxLacks(msg)
    if what.version < OLDEST:
        msg = (
            f"the Python of this sandbox is {'.'.join(map(str, what.version))} ({what.python}); tabshell needs "
            f"{oldest} or newer. Add one to the image, or hand one over with carry=FILE"
        )
        raise SandboxLacks(msg)
    if what.without:
        msg = (
            f"the Python of this sandbox ({what.python}) was built without {', '.join(what.without)}, which tabshell "
            "needs. Use another one, or hand one over with carry=FILE"
        )
        raise SandboxLacks(msg)
