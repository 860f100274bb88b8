"""What the demo shows: the stages, what is said about them, and what the agent types.

Plain data, in order. A ``Stage`` opens with a heading, ``Say`` is a sentence of the narrator, ``Type`` a command for
the shell (its lines are typed one after the other). ``needs`` names a program; ``instead`` is typed where it is
missing. All numbers stand in the example workspace.
"""

from __future__ import annotations

from dataclasses import dataclass

TITLE = "tabshell: an agent writes a board memo, and keeps the tab"
OPENING = (
    "Alder & Finch sell and repair bicycles. Their office folder holds {files} files, and a task asks for a memo. "
    "A scripted agent types into a real bash; everything after a prompt is real output. Lines that begin with [tab] "
    "are tabshell's."
)
CLOSING = (
    "That was the whole loop: state, read, review, resolve on evidence, finish. Every step is in the session's "
    "record, and the record can be checked: tabshell verify."
)


@dataclass(frozen=True, slots=True)
class Stage:
    """One of the five stages."""

    letter: str
    title: str
    text: str


@dataclass(frozen=True, slots=True)
class Say:
    """A sentence between two commands."""

    text: str


@dataclass(frozen=True, slots=True)
class Type:
    """A command. ``leaves``: the shell ends by it."""

    command: str
    needs: str | None = None
    instead: str = ""
    leaves: bool = False


_REQUIREMENTS = """tab add <<'EOF'
net sales of the third quarter of 2025
change of the net sales against the second quarter
rise in the price of energy
headcount on 30 September
date on which the Riverside lease ends
recommendation on the workshop lift at Station Road
EOF"""

_SHEET = "xl/worksheets/sheet1.xml"
_HEADCOUNT = f"unzip -p hr/headcount.xlsx {_SHEET} | sed 's/<[^>]*>/ /g' | tail -c 60"
_HEADCOUNT_WITHOUT = f"""python3 - <<'EOF'
import re, zipfile
sheet = zipfile.ZipFile('hr/headcount.xlsx').read('{_SHEET}').decode()
print(re.sub('<[^>]*>', ' ', sheet)[-60:])
EOF"""

_MEMO = """mkdir -p out && cat > out/memo.md <<'EOF'
# Memo to the board: third quarter of 2025

- Net sales were 348,800 EUR, 24,400 EUR or 7.5 percent more than in the second quarter.
- The price of energy has risen by 23.4 percent since 1 July.
- On 30 September 2025 we were 23 people, 14 full-time and 9 part-time.
- Recommendation: buy the workshop lift for Station Road (18,600 EUR) before the quote runs out.
EOF"""

SCRIPT: tuple[Stage | Say | Type, ...] = (
    Stage("A", "State", "The agent states what the task asks for: one requirement for each fact."),
    Type(_REQUIREMENTS),
    Stage(
        "B",
        "Capture",
        "Then it works as in any shell. Files whose content it was shown are logged (L1, L2 …); files whose name alone "
        "it saw are candidates. It does nothing for that: watch the [tab] line.",
    ),
    Type("ls *"),
    Type("cat finance/sales_2025_q3.csv"),
    Type("tail -1 finance/sales_2025_q2.csv"),
    Type("cat finance/energy_contract.txt"),
    Type(_HEADCOUNT, needs="unzip", instead=_HEADCOUNT_WITHOUT),
    Stage(
        "C",
        "Review",
        "Before it writes, it pulls the review: each open requirement beside the excerpts that match it, and the files "
        "that might, but that nobody has opened.",
    ),
    Type("tab list"),
    Say("Under r6 the review names a quote for the lift that nobody has opened. The agent opens it."),
    Type("cat workshop/lift_quote.txt"),
    Stage(
        "D",
        "Resolve",
        "It writes the memo and closes the requirements, each on an entry of the log. Its own draft is no evidence.",
    ),
    Type(_MEMO),
    Type("tab resolve r1 done finance/sales_2025_q3.csv"),
    Type("tab resolve r2 done L1,L2"),
    Type("tab resolve r3 done L3"),
    Say("Now it takes the short way, and cites what it has just written:"),
    Type("tab resolve r4 done out/memo.md"),
    Say("Refused. The source itself is accepted:"),
    Type("tab resolve r4 done hr/headcount.xlsx"),
    Type("tab resolve r6 unavailable authored"),
    Stage("E", "Finish", "It believes that it is done. The first attempt to leave is held, once."),
    Type("exit"),
    Say("The lease was forgotten, and its file is on the list of those never opened. One look, one line, closed."),
    Type(
        "pdftotext legal/lease_riverside.pdf - | grep Term",
        needs="pdftotext",
        instead="grep -a -o '3. Term: [^)]*' legal/lease_riverside.pdf",
    ),
    Type("echo '- The Riverside lease ends on 31 March 2027.' >> out/memo.md"),
    Type("tab resolve r5 done legal/lease_riverside.pdf --quote 'ends on 31 March 2027'"),
    Type("exit", leaves=True),
)
