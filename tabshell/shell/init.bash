# shellcheck shell=bash disable=SC2154,SC2016,SC1090,SC2034,SC2128,SC2178
# The rc file of tabshell's interactive bash: arms the hooks, then reads the user's own ~/.bashrc.
#
# PS0 tells that a line was read and is about to run: a subshell writes a report to a side file with a one-time
# name and then a mark with that name to the terminal. Where the door has foretold the line (a one-time number lies in
# the file `line`), PS0 itself prints a mark with that number instead, and no process is started. The last element of
# PROMPT_COMMAND tells that a prompt is about to be shown: it makes a file whose name says it all, rings the door's
# bell and waits at one of two gates, in turns, until all that was printed is told (docs/reference/marks.md). Before
# this text the door puts a line that sets __tab_d (the directory of the side files), __tab_p (the one for PATH),
# __tab_f (the user's rc file), __tab_s (1: this bash knows PROMPT_COMMAND as a string only) and __tab_o (the file
# `line`; empty where this bash starts a process for `$(<file)`).
#
# Rules: nothing is exported, not even under `set -a` (what is assigned later is an array, no function is defined);
# nothing that belongs to the user is changed, the history least of all; no simple command runs in the user's shell
# where a trap could notice (a `for` over nothing is none, `set -x` does not show it, and its redirection may hold any
# expansion; with `set -T` a trap would run in our subshells, so there are none then). After the user's file only one
# line follows. No expansion may fail: bash would leave the redirection of stderr in place, and the prompt would go
# there; so nothing that a subshell prints is ever calculated with.

__tab_k() { # a one-time number in __tab_r; SRANDOM came with bash 5.1
  __tab_r=${SRANDOM-}
  if [[ $__tab_r ]]; then __tab_r+=$SRANDOM; return; fi
  builtin local LC_ALL=C IFS='' bytes='' n='' c
  while (( ${#bytes} < 12 )); do builtin read -r -d '' -n 12 n </dev/urandom || builtin :; bytes+=$n; done
  for (( n = 0; n < 12; n++ )); do builtin printf -v c '%d' "'${bytes:n:1}"; __tab_r+=$(( 100 + (c & 255) )); done
}
__tab_m() { # STATUS: the start's report and mark, in a subshell; ends with 77 if the next one may not fork (a CHLD
  # trap), 78 if there is a DEBUG trap as well
  unset -f builtin
  builtin local -a h
  builtin local __tab_r w='' a='' IFS=$' \t\n'
  builtin umask 077
  __tab_k
  if [[ -o history ]]; then HISTTIMEFORMAT='' builtin history 1; fi >|"$__tab_d/S$__tab_r" || builtin exit 0
  builtin mapfile -n 1 h <"$__tab_d/S$__tab_r" || builtin :
  if [[ -p $__tab_d/answer ]] && __tab_x; then w=answer; elif [[ -p $__tab_d/first ]]; then w=first; fi
  builtin printf '\0%s\0%s\0%s\0%s\0%s' "$1" "$PWD" "${HISTCMD-}" "$-" "$w" >>"$__tab_d/S$__tab_r" || builtin exit 0
  if [[ ! $w ]]; then builtin printf '\e]7770;S;%s\a' "$__tab_r" >/dev/tty || builtin :; __tab_q; fi
  { builtin printf '\e]7770;S;%s\a' "$__tab_r" >/dev/tty; builtin read -r -t 5 -u 9 a; } 9<>"$__tab_d/$w"
  if [[ $a == "hold $__tab_r" ]]; then builtin kill -INT $$; fi
  __tab_q
}
__tab_q() {
  builtin trap -p CHLD >|"$__tab_d/T" || builtin exit 0
  [[ $h == *trap*CHLD* || -s $__tab_d/T ]] || builtin exit 0
  builtin trap -p DEBUG >|"$__tab_d/T"
  if [[ -s $__tab_d/T ]]; then builtin exit 78; fi
  builtin exit 77
}
__tab_f() { builtin trap -p DEBUG >|"$__tab_d/T"; if [[ ! -s $__tab_d/T ]]; then builtin printf l; fi; }
__tab_x() { # whether the line may be a bare exit, and holding it would not be seen by a trap of the user's
  if [[ -o history && 1${HISTCMD+${HISTCMD//[!0-9]/}} != "$__tab_h" ]]; then
    [[ $h == *exit* || $h == *logout* ]] || builtin return
    [[ $h =~ ^\ *[0-9]+[*\ ]\ [[:space:]]*(exit|logout)[[:space:]]*[0-9]*[[:space:]]*$ ]] || builtin return
  fi
  [[ ! $(builtin trap -p INT) ]]
}
__tab_l() { builtin umask 077; HISTTIMEFORMAT='' builtin history 1 >|"$__tab_d/H"; }
__tab_a() { # arm again: PS0 was rewritten or is not expanded, PATH lost our directory, there is (or was) a CHLD trap. An
  # exported PS0 is armed, too: without it a last `exit` would be missed
  builtin local -
  builtin set +aux
  if [[ ${PS0@a} == *[rilcu]* ]]; then builtin :
  elif [[ :$BASHOPTS: != *:promptvars:* ]]; then PS0=${PS0#"$__tab_0"}
  elif [[ ${PS0-} != *__tab_m* ]]; then PS0=$__tab_0${PS0-}; fi
  if [[ $__tab_p && :$PATH: != *:"$__tab_p":* ]]; then PATH=$__tab_p:$PATH; fi
  if [[ ${__tab_e-} != *__tab_n* ]]; then __tab_e=$__tab_c${__tab_e:+$'\n__tab_t\n'$__tab_e}; fi
  if (( __tab_w )); then
    builtin trap -p CHLD >|"$__tab_d/T"
    if [[ ! -s $__tab_d/T ]]; then __tab_w=0; fi
  fi
  builtin return "$__tab_q"
}
__tab_t() { builtin return "$__tab_b"; }
__tab_z='' __tab_i=9999 __tab_h=(-1) __tab_q=(0) __tab_w=(0) __tab_b=(0) __tab_u=(0) __tab_k=(1) __tab_x=(1)
__tab_y=(/ '') __tab_v=('' 1 0 l 2) __tab_j=([1]='')
# PS0: our element of PROMPT_COMMAND again if it is gone, the history's number, the mark. Apart from the mark of a line
# that was foretold (__tab_k is 1 and its number, which holds for one line; else 1) it prints nothing. No `!` may stand
# in it (a history number in posix mode), and `set -v` would show the text of `$(<...)`: 36#0v is 31, 36#0T is 29.
# (__tab_m compares with the number before: what stands in one arithmetic is expanded before any of it is assigned.)
# (The removal that hides the element's text is slow, so it is done only when the element is gone.)
__tab_0='${__tab_j[0${__tab_g[__tab_i]:+1}]-${__tab_c#"${__tab_g[__tab_i]:=$__tab_c}"}}${__tab_z:0:$((__tab_k=1${__tab_o[36#0${-//[^v]/}]:+$(<"$__tab_o")},__tab_k-__tab_x?(__tab_x=__tab_k):(__tab_k=1),0))}${__tab_z:0:$((__tab_h=1${HISTCMD+${HISTCMD//[^0-9]/}},__tab_w=(${__tab_v[__tab_w==2?4:__tab_w?1:__tab_k>99||36#0${-//[^T]/}?2:0]:-$({ __tab_m "$?"; } >/dev/null 2>&1 {BASH_XTRACEFD}>/dev/null)$?})%76,0))}${__tab_j[__tab_k>99]+\e]7770;Q;${__tab_k:1}${__tab_h:1}\a}'
# The prompt, by redirections in this order: E (a line that history took and that never started, a comment or a
# syntax error, is written to H), the bell (rung when the first command ends, which closes it), the gate, and one that
# fails if something has to be armed again. That is done where __tab_f says so: /dev/nul and an l.
__tab_c='{ for __tab_n in; do __tab_n; done >|"$__tab_d/E.$((__tab_u=!__tab_u)).$?.${HISTCMD-}.$-.${IGNOREEOF+i}${__tab_v[__tab_w || 36#0${-//[^T]/} || __tab_h == -1 || 1${HISTCMD+${HISTCMD//[!0-9]/}} == __tab_h]:-$({ __tab_l; } >/dev/null 2>&1 {BASH_XTRACEFD}>/dev/null)}${__tab_z:0:$((__tab_b=$?,__tab_h=1${HISTCMD+${HISTCMD//[!0-9]/}},0))}" >"$__tab_d/bell" && { for __tab_n in; do __tab_n; done <"$__tab_d/gate$__tab_u" </dev/null"${PS0+${PS0##*__tab_m*}}${__tab_y[0${PS0:+1}]}${BASHOPTS##*promptvars*}${__tab_y[!__tab_w]}" || if for __tab_n in; do __tab_n; done </dev/nul"${__tab_v[36#0${-//[^T]/} || __tab_w == 2 ? 1 : __tab_w ? 3 : 0]:-$({ __tab_f; } {BASH_XTRACEFD}>/dev/null)}"; then __tab_a; fi; }; } 2>/dev/null'
if [[ $__tab_s ]]; then
  __tab_g[__tab_i]=$__tab_c
  builtin declare -n __tab_e=PROMPT_COMMAND
else
  builtin declare -n __tab_g=PROMPT_COMMAND
  __tab_e=$__tab_c
fi
__tab_a
__tab_g[__tab_i]=$__tab_c
if [[ ! -e $__tab_f ]]; then __tab_f=/dev/null; fi
__tab_r=${__tab_r//[^auvx]/}
if [[ $__tab_r ]]; then builtin set "-$__tab_r"; fi; . "$__tab_f"; { for __tab_n in; do __tab_n; done </dev/null"${__tab_z:0:$((__tab_q=$?,0))}${__tab_c#"${__tab_g[__tab_i]:=$__tab_c}"}${PATH##*"$__tab_p"*}${__tab_y[!__tab_q]}${__tab_e##*__tab_n*}${__tab_y[0${__tab_e:+1}]}"; } 2>/dev/null || { if for __tab_n in; do __tab_n; done </dev/nul"${__tab_v[36#0${-//[^T]/}]:-$({ __tab_f; } {BASH_XTRACEFD}>/dev/null)}"; then __tab_a && for __tab_n in; do __tab_n; done; fi; } 2>/dev/null
