# shellcheck shell=bash
# Read through BASH_ENV by every non-interactive bash of a tabshell session, behind a login profile that may have
# reset PATH. It keeps "tab" findable, sends a shell that an agent started by its full path through the session's
# bash once (TABSHELL_REEXEC), and chains the caller's own BASH_ENV (expanded as bash would, silently absent as
# there). It prints nothing, defines nothing that stays, and leaves options, $?, $_ and traps as they were.
__tab_path() { # STATUS LAST: puts the session's programs on PATH, gives back $? and $_
  unset -f __tab_path __tab_here
  local tools=${BASH_SOURCE[0]%/*}/bin
  case :${PATH-}: in
    *":$tools:"*) ;;
    *) PATH=$tools${PATH:+:$PATH} ;;
  esac
  return "$1"
}
__tab_here() { # true where this shell may stay; it has been through the session's bash, or need not
  if [[ ${TABSHELL_REEXECED-} == "$$" ]]; then
    unset TABSHELL_REEXECED
    return 0
  fi
  [[ -z ${BASH_EXECUTION_STRING-} && $- != *s* ]] || [[ -z ${TABSHELL_REEXEC-} || -n ${TABSHELL_SHIM-} || ! -x $TABSHELL_REEXEC ]]
}
{ __tab_here "$_"; } 2>/dev/null || {
  mapfile -d '' -t __tab_words </proc/$$/cmdline
  TABSHELL_REEXECED=$$ TABSHELL_ARGV0=${__tab_words[0]} exec "$TABSHELL_REEXEC" "${__tab_words[@]:1}"
}
if { [[ -n ${TABSHELL_BASH_ENV-} && $TABSHELL_BASH_ENV != "${BASH_SOURCE[0]}" ]]; } 2>/dev/null; then
  eval "if [[ -r \"$TABSHELL_BASH_ENV\" ]]; then . \"$TABSHELL_BASH_ENV\"; fi"
fi
{ __tab_path "$?" "$_"; } 2>/dev/null
