"""One session from start to end: its sidecar, its tab, its doors.

``Session`` is what every command line works with; ``live`` is the pty door's listener; ``options`` what a
person chose at the start.
"""

from tabshell.session.options import SessionOptions
from tabshell.session.session import Session

__all__ = ["Session", "SessionOptions"]
