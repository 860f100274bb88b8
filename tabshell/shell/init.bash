# shellcheck shell=bash
# The rc file of tabshell's interactive bash: arms the hooks, then reads the user's own ~/.bashrc.
#
# Two hooks: PS0 (a line was read and is about to run) and the last element of PROMPT_COMMAND (a prompt is
# about to be shown). Each runs one subshell, which writes a report to a side file with a one-time name
# and then a mark with that name to the terminal (docs/reference/marks.md). The door puts the line
# __tab_d=<directory of the side files> and __tab_p=<directory for PATH> before this text.
#
# Rules: nothing is exported; nothing that belongs to the user is changed, the history least of all; no simple
# command runs in the user's shell, so that no DEBUG or ERR trap and no `set -x` notices (a function definition
# is none of these, and its redirection may hold any expansion). After the user's file only one line follows.

__tab_k() { # a one-time number in __tab_r; SRANDOM came with bash 5.1
  __tab_r=${SRANDOM-}
  [[ $__tab_r ]] && { __tab_r+=$SRANDOM; return; }
  builtin local LC_ALL=C IFS= bytes='' n
  while (( ${#bytes} < 8 )); do builtin read -r -d '' -n 8 n </dev/urandom; bytes+=$n; done
  for (( n = 0; n < 8; n++ )); do builtin printf -v __tab_r '%s%03d' "$__tab_r" "$(( $(builtin printf '%d' "'${bytes:n:1}") & 255 ))"; done
}
__tab_m() { # KIND STATUS: report and mark, in a subshell
  builtin local __tab_r w='' e='' a='' h HISTTIMEFORMAT='' IFS=$' \t\n'
  builtin umask 077
  __tab_k
  [[ $1 == S && -p $__tab_d/answer ]] && __tab_x && w=1
  [[ ${IGNOREEOF+x} ]] && e=1
  h=0; [[ -o history ]] && h=$HISTCMD
  { builtin printf '%s\0%s\0%s\0%s\0%s\0%s\0' "$2" "$PWD" "$h" "$-" "$w" "$e"; builtin history 1; } >|"$__tab_d/$1$__tab_r" || builtin return
  if [[ ! $w ]]; then builtin printf '\e]7770;%s;%s\a' "$1" "$__tab_r" >/dev/tty; builtin return; fi
  { builtin printf '\e]7770;%s;%s\a' "$1" "$__tab_r" >/dev/tty; builtin read -r -t 5 -u 9 a; } 9<>"$__tab_d/answer"
  [[ $a == "hold $__tab_r" ]] && builtin kill -INT $$
}
__tab_x() { # whether the line may be a bare exit, and holding it would be unseen by the user's traps
  [[ $(builtin trap -p INT) ]] && builtin return 1
  [[ ${HISTCONTROL-}${HISTIGNORE-} || ! -o history ]] && builtin return 0
  [[ $(builtin history 1) =~ ^\ *[0-9]+[*\ ]\ [[:space:]]*(exit|logout)[[:space:]]*[0-9]*[[:space:]]*$ ]]
}
__tab_a() { # arm again: PS0 was rewritten, or PATH lost our directory
  [[ ${PS0-} == *__tab_m* ]] || PS0=$__tab_0${PS0-}
  [[ :$PATH: == *:"$__tab_p":* ]] || PATH=$__tab_p:$PATH
}
# PS0: put our element of PROMPT_COMMAND back if it is gone (prints nothing), then the start mark
__tab_0='${__tab_z#"${PROMPT_COMMAND[__tab_i]:=$__tab_c}"}$({ __tab_m S "$?"; } {BASH_XTRACEFD}>/dev/null >/dev/null 2>&1)'
# the prompt: the end mark; then arm again if PS0 is not ours any more (a redirection that fails says so)
__tab_c='{ { __tab_n() { :; }; } </dev/null"$({ __tab_m E "$?"; } {BASH_XTRACEFD}>/dev/null >/dev/null 2>&1)${PS0##*__tab_m*}${__tab_y[0${PS0:+1}]}"; } 2>/dev/null || __tab_a'
__tab_z='' __tab_i=9999 __tab_y=(/ '')
PS0=$__tab_0
PROMPT_COMMAND[__tab_i]=$__tab_c
PATH=$__tab_p:$PATH
[[ -r ~/.bashrc ]] && . ~/.bashrc; { { __tab_n() { :; }; } </dev/null"${__tab_z#"${PROMPT_COMMAND[__tab_i]:=$__tab_c}"}${PATH##*"$__tab_p"*}"; } 2>/dev/null || __tab_a
