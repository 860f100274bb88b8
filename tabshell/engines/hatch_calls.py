"""What an engine runs in a sandbox to have something done by a process that waits there already, without a Python of
its own: texts for ``bash -p``, and their words. They lie beside the pipes, for an engine's log has each call's words.

Starting Python takes ten times as long as bash, and an engine starts something for each command of each sample. These
texts need bash 5 and one process: they take a free *slot* at the *hatch* (``engines.hatch``), say who they are, and
wait. Where nobody is behind the hatch, or it cannot serve this caller, they go on as the program that does it alone.

``-p`` keeps bash from reading and importing what the environment has for it; the bash of the command gets that
environment as it came. Pure.
"""

from __future__ import annotations

import json
import shlex
from collections.abc import Sequence

#: The folder of a hatch: in a session's directory, and among all sessions for the one that makes them.
HATCH = "hatch"
#: Takes a slot at the hatch ``h``: its number in ``n``; ``q`` is where to ask and ``a`` where the answer
#: comes; ``1`` is the standard output once more, for bash's own goes elsewhere while it writes a question.
_SLOT = """
__tab_slot() {
  (( BASH_VERSINFO[0] >= 5 )) && [[ ! -o posix && -p $__tab_h/ask && -p $__tab_h/free ]] || return
  [[ ${SHELLOPTS@a}${BASHOPTS@a} != *x* ]] || return
  { read -r __tab_p <"$__tab_h/process" && kill -0 "$__tab_p"; } 2>/dev/null || return
  { exec {__tab_1}>&1 {__tab_q}<>"$__tab_h/ask" {__tab_f}<>"$__tab_h/free"; } 2>/dev/null || return
  IFS= read -r -t 0.3 -N 1 -u "$__tab_f" __tab_n &&
    { exec {__tab_a}<>"$__tab_h/$__tab_n" && exec {__tab_f}>&-; } 2>/dev/null && return
  exec {__tab_1}>&- {__tab_q}>&- {__tab_f}>&-
  return 1
}
__tab_told() { # the next line for us, in o and e; false where the process behind the hatch is gone
  until read -r -t 2 -u "$__tab_a" __tab_o __tab_e; do
    kill -0 "$__tab_p" 2>/dev/null || return
  done
}
"""
#: Words: session, real bash, 1 for a status line, bytes that are shown at most (0: all), the words for bash.
RUN = (
    _SLOT
    + """
__tab_s=$1 __tab_b=$2 __tab_h=$1/hatch; shift 4
if __tab_slot; then
  printf 'run %s %s %s\\n' "$__tab_n" "$$" "$__tab_1" >&"$__tab_q"
  if __tab_told && [[ $__tab_o == /* && -w $__tab_o && -w $__tab_e ]]; then
    (
      printf 'pid %s %s\\n' "$__tab_n" "$BASHPID" >&"$__tab_q"
      __tab_u=${BASH_ENV-}
      if [[ $__tab_u == "$__tab_s/env.bash" ]]; then __tab_u=${TABSHELL_BASH_ENV-}; fi
      unset TABSHELL_BASH_ENV TABSHELL_REEXECED
      if [[ $__tab_u ]]; then export TABSHELL_BASH_ENV=$__tab_u; fi
      export TABSHELL_SHIM=$__tab_s BASH_ENV=$__tab_s/env.bash
      if [[ ${PATH@a} == *x* && :$PATH: != *":$__tab_s/bin:"* ]]; then PATH=$__tab_s/bin:$PATH; fi
      (( SHLVL-- ))
      exec -a bash "$__tab_b" "$@" {__tab_1}>&- {__tab_q}>&- {__tab_a}>&- >"$__tab_o" 2>"$__tab_e"
    )
    __tab_c=$?
    printf 'end %s %s\\n' "$__tab_n" "$__tab_c" >&"$__tab_q"
    __tab_told
    exit "$__tab_c"
  fi
  printf 'no %s %s\\n' "$__tab_n" "$$" >&"$__tab_q"
  exec {__tab_1}>&- {__tab_q}>&- {__tab_a}>&-
fi
exec "$__tab_s/bin/bash" "$@"
"""
)
#: Words: folder of the hatch's folder, verb, object, the program that does it alone (none: exit status 99).
ASK = (
    _SLOT
    + """
__tab_h=$1/hatch __tab_v=$2 __tab_j=$3; shift 3
if __tab_slot; then
  printf 'ask %s %s %s %s\\n' "$__tab_n" "$$" "$__tab_1" "$__tab_v" >&"$__tab_q"
  if __tab_told && [[ $__tab_o == done ]]; then exit 0; fi
  exec {__tab_1}>&- {__tab_q}>&- {__tab_a}>&-
fi
(( $# )) || exit 99
exec "$@" <<<"$__tab_j"
"""
)
#: ``tab`` of the session ``__tab_s``, a program of its own. A copy of a session has its program beside itself.
_TAB = (
    _SLOT
    + """
__tab_h=$__tab_s/hatch
if [[ ! $0 -ef $__tab_s/bin/tab ]]; then
  __tab_h=${0%/*}/../hatch
elif __tab_slot; then
  printf 'tab %s %s %s\\n' "$__tab_n" "$$" "$__tab_1" >&"$__tab_q"
  if ! __tab_told; then
    printf '%s%s\\n' "tab: the process that was answering ended half-way; see with 'tab list' whether it was done, " \
      "and call again if it was not" >&2
    exit 1
  fi
  if [[ $__tab_o == done ]]; then exit "$__tab_e"; fi
  exec {__tab_1}>&- {__tab_q}>&- {__tab_a}>&-
fi
exec "$__tab_h/tab" "$@"
"""
)
#: The texts' names beside the pipes.
TEXTS = {"run.bash": RUN, "ask.bash": ASK}
#: Bytes of one word that a program can be given (Linux: 128 KiB), with room to spare.
LONGEST = 120_000
#: Where in a caller's words the text's own begin.
_FIRST = 3


def run_words(session: str, bash: str, words: Sequence[str], *, status: bool, most: int) -> list[str]:
    """A command through the session's hatch: ``words`` are those for bash, the command's text last."""
    return [bash, "-p", f"{session}/{HATCH}/run.bash", session, bash, str(int(status)), str(most), *words]


def ask_words(directory: str, bash: str, verb: str, body: str, alone: Sequence[str] = ()) -> list[str]:
    """A question to whoever waits behind the hatch in ``directory``; ``alone`` is asked where nobody does, without it
    the exit status is 99."""
    return [bash, "-p", f"{directory}/{HATCH}/ask.bash", directory, verb, body, *alone]


def tab_text(session: str) -> str:
    """The session's ``tab``, but for its first line."""
    return f"# tabshell: the 'tab' command of one session\n__tab_s={shlex.quote(session)}\n{_TAB}"


class RunCall:
    """What a caller that runs a command says of itself: ``words`` are those of its process."""

    __slots__ = ("command", "most", "status")

    def __init__(self, session: str, words: Sequence[bytes]) -> None:
        """Raises ValueError for what is no such call."""
        _check(session, words, "run.bash", 6)
        self.status = words[_FIRST + 2] == b"1"
        self.most = int(words[_FIRST + 3])
        self.command = words[-1]


def asked_body(directory: str, words: Sequence[bytes]) -> bytes:
    """The object that a question's caller brought. Raises ValueError for what is no such call."""
    _check(directory, words, "ask.bash", 3)
    body = words[_FIRST + 2]
    json.loads(body)
    return body


def _check(directory: str, words: Sequence[bytes], name: str, count: int) -> None:
    text = f"{directory}/{HATCH}/{name}"
    if len(words) < _FIRST + count or words[1:_FIRST] != [b"-p", text.encode("utf-8", "surrogateescape")]:
        msg = f"no caller of {text}"
        raise ValueError(msg)
