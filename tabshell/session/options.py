"""What a person, a harness or a hook chose when the session began."""

from __future__ import annotations

import os

from tabshell.model.light import dataclass


@dataclass(frozen=True, slots=True)
class SessionOptions:
    """``workspace`` is the folder of documents; ``out`` the output folder, relative to it or absolute.

    The four switches are the paper's ablations (Table 4): capture, review, evidence check, finish check.
    Without capture the review and the evidence check fall away too, for both draw on it.
    """

    workspace: str
    out: str | None = None
    name: str | None = None
    task: str | None = None
    agent: str | None = None
    capture: bool = True
    review: bool = True
    evidence_check: bool = True
    finish_check: bool = True
    agent_session: str | None = None
    model: str | None = None
    variant: str | None = None
    bash: str | None = None

    def real_workspace(self) -> str:
        """The workspace, symlinks resolved."""
        return os.path.realpath(self.workspace)

    def real_out(self) -> str | None:
        """The output folder, absolute; by default ``model_output`` in the workspace where there is one."""
        workspace = self.real_workspace()
        if self.out is not None:
            return os.path.realpath(os.path.join(workspace, self.out))
        usual = os.path.join(workspace, "model_output")
        return usual if os.path.isdir(usual) else None
