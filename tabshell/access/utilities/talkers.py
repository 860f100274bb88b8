"""Programs that print something that comes from no file of the user's: the date, processes, packages, numbers."""

from __future__ import annotations

import re

from tabshell.access.bash.calls import Call, Utility
from tabshell.access.bash.streams import Lines, Stream

_NAMES = [
    "date",
    "cal",
    "uptime",
    "uname",
    "hostname",
    "whoami",
    "id",
    "who",
    "w",
    "users",
    "groups",
    "tty",
    "nproc",
    "arch",
    "free",
    "vmstat",
    "iostat",
    "mpstat",
    "lscpu",
    "lsblk",
    "lsusb",
    "lspci",
    "lsmod",
    "dmesg",
    "ps",
    "pgrep",
    "pidof",
    "pstree",
    "top",
    "htop",
    "atop",
    "which",
    "whereis",
    "whatis",
    "apropos",
    "sleep",
    "yes",
    "factor",
    "getconf",
    "locale",
    "printenv",
    "mktemp",
    "uuidgen",
    "ping",
    "dig",
    "nslookup",
    "host",
    "netstat",
    "ss",
    "ip",
    "ifconfig",
    "route",
    "arp",
    "traceroute",
    "nc",
    "telnet",
    "ssh",
    "ssh-keygen",
    "ssh-add",
    "ssh-copy-id",
    "apt",
    "apt-get",
    "apt-cache",
    "dpkg",
    "yum",
    "dnf",
    "brew",
    "pip",
    "pip3",
    "npm",
    "npx",
    "yarn",
    "pnpm",
    "conda",
    "mamba",
    "gem",
    "cargo",
    "rustup",
    "nvm",
    "docker",
    "podman",
    "kubectl",
    "systemctl",
    "service",
    "journalctl",
    "crontab",
    "at",
    "passwd",
    "useradd",
    "usermod",
    "su",
    "tput",
    "stty",
    "clear",
    "reset",
    "mount",
    "umount",
    "mountpoint",
    "swapon",
    "tmux",
    "screen",
    "gh",
    "glab",
    "az",
    "aws",
    "gcloud",
    "heroku",
    "vagrant",
    "sysctl",
    "ulimit",
    "getent",
    "logname",
    "last",
    "lastlog",
    "loginctl",
    "timedatectl",
    "pkill",
    "killall",
]


def _talks(call: Call) -> Stream:
    call.stdin.hide()
    return Stream(literal=True)


def _seq(call: Call) -> Stream:
    call.stdin.hide()
    words = [a.text for a in call.args if a.known and re.fullmatch(r"-?\d{1,9}", a.text)]
    padded = any(a.text in ("-w", "--equal-width") for a in call.args)
    if not 1 <= len(words) <= 3 or len(words) + padded != len(call.args):
        return Stream(literal=True)
    first = int(words[0]) if len(words) > 1 else 1
    step = int(words[1]) if len(words) > 2 else 1
    numbers = range(first, int(words[-1]) + (1 if step > 0 else -1), step or 1)[:1000]
    width = max(map(len, words)) if padded else 0
    lines = Lines(tuple(str(n).zfill(width) for n in numbers))
    return Stream(lines=lambda: lines, literal=True)


TALKERS: dict[str, Utility] = {**dict.fromkeys(_NAMES, _talks), "seq": _seq, "gseq": _seq}
