"""One file of the code that several runs saved: which runs have the same text, and how two of the texts differ."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher

from access.actor import Actor
from runs.code.saved import SavedCode, text_of
from runs.files.text_preview import TextPreview
from runs.models import Run
from runs.run_page.overview import program_of
from runs.selectors import environments_of

MOST_RUNS = 12
"""Whose files are read for one answer: each takes queries and the file itself."""
MOST_NAMES = 500
"""Names of files that are offered."""
MOST_LINES = 2000
"""Of a text that is compared line by line; the time grows with their square."""


@dataclass(slots=True)
class CodeVersion:
    """A text of the file, and the runs that have it."""

    text: TextPreview
    runs: list[Run] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class CodeVersions:
    """What became of a file over the runs, in the order of the runs."""

    name: str
    """Of the file; "" where no run saved code."""
    names: list[str]
    """Of all files that the runs saved, sorted."""
    versions: list[CodeVersion]
    missing: list[Run]
    """Runs without a file of this name, or whose file is no text."""


@dataclass(frozen=True, slots=True)
class Block:
    """Lines that belong together: ``start`` to ``end``, from 0 and without the end, on both sides."""

    kind: str
    """``same``, ``changed``, ``added`` or ``removed``."""
    before: tuple[int, int]
    after: tuple[int, int]


def code_versions(actor: Actor, runs: Sequence[Run], name: str) -> CodeVersions:
    """Return the versions of a file, or of the program of the first run that saved one, over up to `MOST_RUNS` runs.

    Args:
        actor: Who asks; code of artifacts is read only where they may download it.
        runs: Runs that the actor may see, with their config.
        name: The file's path as its run saved it; "" for the program.
    """
    saved = [(run, SavedCode(actor, run)) for run in runs[:MOST_RUNS]]
    names = sorted({path for _run, code in saved for path in code.paths})[:MOST_NAMES]
    name = name or next((program for run, code in saved if (program := _program_of(run, code))), "")
    found: dict[str, CodeVersion] = {}
    missing = []
    for run, code in saved:
        text = text_of(code.at(name), revealed=False)
        if text is None:
            missing.append(run)
        else:
            found.setdefault(text.text, CodeVersion(text)).runs.append(run)
    return CodeVersions(name, names, list(found.values()), missing)


def _program_of(run: Run, code: SavedCode) -> str:
    file = code.main_file(program_of(run, environments_of(run)[0]))
    return file.path if file else ""


_KINDS = {"equal": "same", "replace": "changed", "insert": "added", "delete": "removed"}


def compare_lines(before: str, after: str) -> list[Block] | None:
    """Return how the lines of two texts belong together; None if one has more than `MOST_LINES`."""
    old, new = before.split("\n"), after.split("\n")
    if max(len(old), len(new)) > MOST_LINES:
        return None
    steps = SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [Block(_KINDS[kind], (from_, to), (start, end)) for kind, from_, to, start, end in steps]
