"""What runs ran in, side by side (RUN-29): machine, Python, commit, and the packages that the SDK found installed."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from django.utils.translation import gettext as _

from runs.config.flatten import environments_in, sdk_part
from runs.models import Run, RunFile
from runs.secrets.masking import mask
from runs.table.comparison import ComparisonLine, ComparisonSection, section_of, text_cell
from storage.contents.reading import content_of

REQUIREMENTS, DIFF = "requirements.txt", "diff.patch"
MAX_BYTES = 256 * 1024
"""Of a list of packages; what follows is left out."""
_PINNED = re.compile(r"([A-Za-z0-9._-]+)\s*===?\s*(\S+)")


def compare_environments(runs: Sequence[Run]) -> list[ComparisonSection]:
    """Return what differs, and what does not, of the machines and packages of runs; one query, one read a run."""
    files: dict[tuple[int, str], RunFile] = {
        (file.run_id, file.name): file
        for file in RunFile.objects.filter(run__in=runs, name__in=[REQUIREMENTS, DIFF]).select_related("blob")
    }
    facts = [_facts(run, has_diff=(run.pk, DIFF) in files) for run in runs]
    packages = [_packages(files.get((run.pk, REQUIREMENTS))) for run in runs]
    sections = [section_of(_("Environment"), _lines(facts), with_equal=True, has_keys=False)]
    if any(packages):
        sections.append(section_of(_("Python packages"), _lines(packages, in_order=True), with_equal=True))
    return sections


def _facts(run: Run, *, has_diff: bool) -> dict[str, str]:
    environment: Mapping[str, Any] = next(iter(environments_in(sdk_part(run.config_text))), {})
    git = environment.get("git")
    commit = run.git_commit or str((git if isinstance(git, dict) else {}).get("commit") or "")
    found = {
        _("Git commit"): commit[:12],
        _("Uncommitted changes"): _("Yes") if has_diff else _("No") if commit else "",
        _("Program"): run.program or environment.get("program"),
        _("Python"): environment.get("python"),
        _("Operating system"): environment.get("os"),
        _("GPU"): environment.get("gpu"),
        _("GPU count"): environment.get("gpu_count"),
        _("CUDA"): environment.get("cuda_version"),
        _("CPU count"): environment.get("cpu_count"),
    }
    return {name: mask(str(value)) for name, value in found.items() if value}


def _packages(file: RunFile | None) -> dict[str, str]:
    """Return versions by package; a line that pins none, such as an address, is its own name."""
    if file is None:
        return {}
    try:
        with content_of(file.blob).open("rb") as content:
            text = content.read(MAX_BYTES).decode("utf-8", errors="replace")
    except FileNotFoundError:
        return {}
    found = {}
    for line in map(str.strip, text.splitlines()):
        if pinned := _PINNED.fullmatch(line):
            found[pinned[1].lower()] = pinned[2]
        elif line and not line.startswith("#"):
            found[mask(line)] = "✓"
    return found


def _lines(found: Sequence[Mapping[str, str]], *, in_order: bool = False) -> list[ComparisonLine]:
    keys = dict.fromkeys(key for one in found for key in one)
    lines = []
    for key in sorted(keys) if in_order else keys:
        values = [one.get(key, "") for one in found]
        cells = [text_cell(value) for value in values]
        lines.append(ComparisonLine(key, values, len(set(values)) > 1, cells))
    return lines
