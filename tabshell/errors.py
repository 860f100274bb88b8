"""The exceptions of tabshell and the exit statuses that they end in.

::

    TabshellError
    ├── UsageError            wrong words on a command line                  2
    │   └── ConfigError       a setting of config.toml that makes no sense
    ├── Refused               a tab operation that changes nothing           1
    ├── SessionNotFound       no session by that id, name or path            3
    ├── SidecarError          the sidecar lies wrong or cannot be used       4
    │   ├── SidecarInWorkspace
    │   ├── StoreDamaged
    │   │   └── StoreForeign
    │   ├── StoreTooNew
    │   └── StoreUnwritable
    ├── ShellUnavailable      no bash, or one that is too old              125
    ├── DocumentError         a deliverable that cannot be read              5
    ├── RecordingError        a foreign recording that cannot be read        6
    └── EndpointError         a collector that does not take what is sent    7

A message says what failed, which value, and what to do next. The command line turns each into one line
on stderr and its exit status; nothing below ``cli/`` ever exits the process.
"""

from __future__ import annotations


class ExitStatus:
    """Exit statuses of ``tab`` and ``tabshell`` (a shell's own status passes through unchanged). Plain numbers: every
    call of ``tab`` loads them, and ``enum`` is a tenth of such a call."""

    OK = 0
    REFUSED = 1
    USAGE = 2
    NO_SESSION = 3
    SIDECAR = 4
    DOCUMENT = 5
    RECORDING = 6
    ENDPOINT = 7
    NO_SHELL = 125


class TabshellError(Exception):
    """Anything that tabshell itself reports; ``code`` is the stable word for JSON output."""

    status = ExitStatus.REFUSED
    code = "error"


class UsageError(TabshellError):
    """The words of a command line make no sense."""

    status = ExitStatus.USAGE
    code = "usage"


class ConfigError(UsageError):
    """A setting of ``config.toml`` makes no sense; the message names the line."""

    code = "config"


class Refused(TabshellError):  # noqa: N818 - the specification's word for it
    """A tab operation was refused; the tab is unchanged."""

    code = "refused"

    def __init__(self, message: str, code: str = "refused") -> None:
        super().__init__(message)
        self.code = code


class SessionNotFound(TabshellError):  # noqa: N818
    """No session, or more than one, answers to that id, name or path."""

    status = ExitStatus.NO_SESSION
    code = "no-session"


class SidecarError(TabshellError):
    """The sidecar directory lies wrong or cannot be used."""

    status = ExitStatus.SIDECAR
    code = "sidecar"


class SidecarInWorkspace(SidecarError):  # noqa: N818
    """The sidecar lies inside the workspace, or the workspace inside the sidecar."""

    code = "sidecar-in-workspace"


class StoreDamaged(SidecarError):  # noqa: N818
    """``tab.db`` is no SQLite database, or not one of tabshell's."""

    code = "store-damaged"


class StoreForeign(StoreDamaged):
    """``tab.db`` is another program's SQLite database, or an empty file."""

    code = "store-foreign"


class StoreTooNew(SidecarError):  # noqa: N818
    """``tab.db`` was written by a newer tabshell."""

    code = "store-too-new"


class StoreUnwritable(SidecarError):  # noqa: N818
    """The store can be read but not written (read-only medium, full disk, permissions, long lock)."""

    status = ExitStatus.REFUSED
    code = "store-unwritable"


class ShellUnavailable(TabshellError):  # noqa: N818
    """There is no bash to run, or it is older than 4.4."""

    status = ExitStatus.NO_SHELL
    code = "no-shell"


class DocumentError(TabshellError):
    """A document is broken, encrypted, or of a kind that needs an extra that is not installed."""

    status = ExitStatus.DOCUMENT
    code = "document"


class RecordingError(TabshellError):
    """A foreign recording is not of the format it should be; the message names the line."""

    status = ExitStatus.RECORDING
    code = "recording"


class EndpointError(TabshellError):
    """A collector was not reached, or did not take what was sent to it."""

    status = ExitStatus.ENDPOINT
    code = "endpoint"
