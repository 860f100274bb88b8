"""``tabshell completion SHELL``: the lines that teach a shell to complete ``tabshell`` and ``tab``.

Click writes those of ``tabshell``; it calls the program itself whenever somebody presses Tab. Those of ``tab`` ask
the same function for ``tabshell tab``, so both know the same.
"""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

#: How click calls the function, and the variable by which it asks the program.
_FUNCTION = "_tabshell_completion"
_VARIABLE = "_TABSHELL_COMPLETE"
_TAB = {
    "bash": f"""_tab_completion() {{
    local rest=("${{COMP_WORDS[@]:1}}")
    local COMP_WORDS=(tabshell tab "${{rest[@]}}") COMP_CWORD=$((COMP_CWORD + 1))
    {_FUNCTION} tabshell
}}

complete -o nosort -F _tab_completion tab
""",
    "zsh": f"""_tab_completion() {{
    words=(tabshell tab "${{(@)words[2,-1]}}")
    (( CURRENT++ ))
    {_FUNCTION}
}}

compdef _tab_completion tab
""",
    "fish": f"""function _tab_completion
    set -l line (string replace -r '^\\s*\\S+' 'tabshell tab' -- (commandline -cp))
    set -l word (commandline -t)
    for completion in (env {_VARIABLE}=fish_complete COMP_WORDS=$line COMP_CWORD=$word tabshell)
        string replace -r '^[^,]*,' '' -- $completion
    end
end

complete --no-files --command tab --arguments "(_tab_completion)"
""",
}


@click.command()
@click.argument("shell", type=click.Choice(tuple(_TAB)))
def completion(shell: str) -> None:
    """Prints the completion of 'tabshell' and 'tab' for a shell: eval "$(tabshell completion bash)" in ~/.bashrc."""
    kind = get_completion_class(shell)
    if kind is None:
        msg = f"click has no completion for {shell}"
        raise click.UsageError(msg)
    program = click.get_current_context().find_root().command
    click.echo(kind(program, {}, "tabshell", _VARIABLE).source().rstrip())
    click.echo(f"\n{_TAB[shell]}", nl=False)
