# shellcheck shell=bash disable=SC2154,SC2016,SC1090
# The rc file of tabshell's interactive bash: arms the hooks, then reads the user's own ~/.bashrc.
#
# PS0 tells that a line was read and is about to run: a subshell writes a report to a side file with a one-time
# name and then a mark with that name to the terminal. The last element of PROMPT_COMMAND tells that a prompt
# is about to be shown: it makes a file whose name says it all, rings the door's bell and waits at its gate until
# all that was printed is told (docs/reference/marks.md). Before this text the door puts a line that sets
# __tab_d (the directory of the side files), __tab_p (the one for PATH) and __tab_f (the user's rc file).
#
# Rules: nothing is exported; nothing that belongs to the user is changed, the history least of all; no simple
# command runs in the user's shell, so that no DEBUG or ERR trap and no `set -x` notices (a function definition
# is none of these, and its redirection may hold any expansion). After the user's file only one line follows.

__tab_k() { # a one-time number in __tab_r; SRANDOM came with bash 5.1
  __tab_r=${SRANDOM-}
  if [[ $__tab_r ]]; then __tab_r+=$SRANDOM; return; fi
  builtin local LC_ALL=C IFS='' bytes='' n='' c
  while (( ${#bytes} < 12 )); do builtin read -r -d '' -n 12 n </dev/urandom || builtin :; bytes+=$n; done
  for (( n = 0; n < 12; n++ )); do builtin printf -v c '%d' "'${bytes:n:1}"; __tab_r+=$(( 100 + (c & 255) )); done
}
__tab_m() { # STATUS: the start's report and mark, in a subshell
  builtin local __tab_r w='' a='' HISTTIMEFORMAT='' IFS=$' \t\n'
  builtin umask 077
  __tab_k
  if [[ -p $__tab_d/answer ]] && __tab_x; then w=1; fi
  { builtin printf '%s\0%s\0%s\0%s\0%s\0' "$1" "$PWD" "${HISTCMD-}" "$-" "$w"; if [[ -o history ]]; then builtin history 1; fi; } >|"$__tab_d/S$__tab_r" || builtin return
  if [[ ! $w ]]; then builtin printf '\e]7770;S;%s\a' "$__tab_r" >/dev/tty; builtin return; fi
  { builtin printf '\e]7770;S;%s\a' "$__tab_r" >/dev/tty; builtin read -r -t 5 -u 9 a; } 9<>"$__tab_d/answer"
  if [[ $a == "hold $__tab_r" ]]; then builtin kill -INT $$; fi
}
__tab_x() { # whether the line may be a bare exit, and holding it would not be seen by a trap of the user's
  if [[ $(builtin trap -p INT) ]]; then builtin return 1; fi
  if [[ ! -o history || ${HISTCMD-} == "$__tab_h" ]]; then builtin return 0; fi
  [[ $(builtin history 1) =~ ^\ *[0-9]+[*\ ]\ [[:space:]]*(exit|logout)[[:space:]]*[0-9]*[[:space:]]*$ ]]
}
__tab_l() { builtin umask 077; HISTTIMEFORMAT='' builtin history 1 >|"$__tab_d/H"; }
__tab_a() { # arm again: PS0 was rewritten, or PATH lost our directory
  [[ ${PS0-} == *__tab_m* ]] || PS0=$__tab_0${PS0-}
  [[ ! $__tab_p || :$PATH: == *:"$__tab_p":* ]] || PATH=$__tab_p:$PATH
  builtin return "$__tab_q"
}
__tab_z='' __tab_i=9999 __tab_h=-1 __tab_q=0 __tab_y=(/ '') __tab_v=('' 1)
# PS0: our element of PROMPT_COMMAND again if it is gone, the history's number, the mark; it prints nothing
__tab_0='${__tab_c#"${PROMPT_COMMAND[__tab_i]:=$__tab_c}"}${__tab_z:0:$((__tab_h=${HISTCMD:-0},0))}$({ __tab_m "$?"; } {BASH_XTRACEFD}>/dev/null >/dev/null 2>&1)'
# The prompt. A line that history took and that never started (a comment, a syntax error) is written to H. The
# last redirection fails if PS0 is not ours any more.
__tab_c='{ { __tab_n() { :; }; } >|"$__tab_d/E.$?.${HISTCMD-}.$-.${IGNOREEOF+i}${__tab_v[__tab_h == -1 || ${HISTCMD:-0} == __tab_h]:-$({ __tab_l; } {BASH_XTRACEFD}>/dev/null >/dev/null 2>&1)}" && { __tab_n() { :; }; } >"$__tab_d/bell${__tab_z:0:$((__tab_h=${HISTCMD:-0},0))}" && { __tab_n() { :; }; } <"$__tab_d/gate" && { __tab_n() { :; }; } </dev/null"${PS0##*__tab_m*}${__tab_y[0${PS0:+1}]}"; } 2>/dev/null || __tab_a'
PS0=$__tab_0
PROMPT_COMMAND[__tab_i]=$__tab_c
if [[ $__tab_p ]]; then PATH=$__tab_p:$PATH; fi
if [[ -e $__tab_f ]]; then . "$__tab_f"; fi; { { __tab_n() { :; }; } </dev/null"${__tab_z:0:$((__tab_q=$?,0))}${__tab_c#"${PROMPT_COMMAND[__tab_i]:=$__tab_c}"}${PATH##*"$__tab_p"*}${__tab_y[!__tab_q]}"; } 2>/dev/null || __tab_a
