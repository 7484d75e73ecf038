"""The Overview tab: what the run is, where it ran, what it was told and what came out (RUN-40)."""

import shlex
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

from django.urls import reverse
from django.utils.translation import gettext as _

from common.formats.numbers import parse_int
from common.templatetags.runyard import duration, number
from runs.hosts.gpus import counted_names
from runs.lifecycle.services import path_of
from runs.models import Run
from runs.names.authors import author_of
from runs.run_page.git_links import commit_url, repository_url
from runs.run_page.value_tree import read_tree
from runs.secrets.masking import FoundSecret, mask, mask_arguments
from runs.selectors import environments_of

Metadata = dict[str, Any]
_LINKED = 20
"""Runs of each kind that are linked."""
_SHORT = 7
"""Characters of a commit where it is named in passing."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A row of the overview."""

    label: str
    value: Any
    kind: str = "text"
    """text, time, duration, path or code; the last two can be copied."""
    url: str = ""
    detail: str = ""
    """What is said beside it."""


def _part(metadata: Metadata, name: str) -> Metadata:
    value = metadata.get(name)
    return value if isinstance(value, dict) else {}


def _gpus(metadata: Metadata) -> str:
    names = [
        str(card.get("name", ""))
        for card in metadata.get("gpu_nvidia") or metadata.get("gpu_amd") or []
        if isinstance(card, dict)
    ]
    counted = counted_names(name for name in names if name)
    return counted or (f"{metadata.get('gpu_count', 1)} × {metadata['gpu']}" if metadata.get("gpu") else "")


def _hardware(metadata: Metadata) -> str:
    parts = []
    logical, physical = metadata.get("cpu_count_logical"), metadata.get("cpu_count")
    if logical or physical:
        parts.append(_("%(n)s CPUs") % {"n": logical or physical})
    if memory := parse_int(str(_part(metadata, "memory").get("total", ""))):
        parts.append(_("%(n)s GiB memory") % {"n": f"{memory / 2**30:.1f}"})
    if disk := parse_int(str(_part(_part(metadata, "disk"), "/").get("total", ""))):
        parts.append(_("%(n)s GiB disk") % {"n": f"{disk / 2**30:.0f}"})
    if cards := _gpus(metadata):
        parts.append(cards)
    return " · ".join(parts)


def program_of(run: Run, metadata: Metadata) -> str:
    """Return the program that the run was started with, "" if nothing says which."""
    return str(metadata.get("codePath") or metadata.get("program") or run.program or "")


def command_of(run: Run, metadata: Metadata, *, revealed: bool) -> tuple[str, bool]:
    """Return how the run was started, and whether something in it looks like a secret."""
    program = program_of(run, metadata)
    given = metadata.get("args")
    arguments = [str(part) for part in given] if isinstance(given, list) else []
    if not program:
        return "", False
    masked, any_found = mask_arguments(arguments)
    python = ["python"] if program.endswith(".py") else []
    return shlex.join([*python, program]) + "".join(
        f" {part if part != shlex.quote(part) and '•' in part else shlex.quote(part)}"
        for part in (arguments if revealed else masked)
    ), any_found


def _lineage(run: Run) -> list[Fact]:
    rows = []
    if run.is_rewound:
        rows.append(Fact(_("Rewound to step"), str(run.forked_at_step)))
    elif origin := origin_of(run):
        rows.append(Fact(_("Forked from"), origin["text"], url=origin["url"]))
    if run.archive_of is not None and run.archive_of.deleted_at is None:
        rows.append(_link(_("Rewound run"), run.archive_of))
    archives = run.archives.order_by("pk").select_related("project__team")[:_LINKED]
    for index, archive in enumerate(archives, 1):
        if archive.deleted_at is None:
            rows.append(_link(_("Before rewind %(number)s") % {"number": index}, archive))
    forks = run.forks.live().exclude(pk=run.archive_of_id or 0).select_related("project__team").order_by("pk")
    return [*rows, *(_link(_("Fork"), fork) for fork in forks[:_LINKED])]


def origin_of(run: Run) -> dict[str, str] | None:
    """Return the run that this one was forked from, with its address; None if there is none to see."""
    source = run.forked_from
    if source is None or run.is_rewound or source.deleted_at is not None:
        return None
    text = f"{source.display_name} ({source.uid})"
    if run.forked_at_step is not None:
        text = _("%(run)s at step %(step)s") % {"run": text, "step": run.forked_at_step}
    return {"text": text, "url": path_of(source)}


def _link(label: str, run: Run) -> Fact:
    return Fact(label, f"{run.display_name} ({run.uid})", url=path_of(run))


def _synced(run: Run) -> Fact:
    """Return when a run was sent that had been recorded before, with how long after its end."""
    detail = ""
    if run.synced_at and run.finished_at and run.finished_at <= run.synced_at:
        late = duration((run.synced_at - run.finished_at).total_seconds())
        detail = _("%(time)s after the end") % {"time": late}
    return Fact(_("Synced"), run.synced_at, "time", detail=detail)


def _git(run: Run, metadata: Metadata, *, revealed: bool) -> list[Fact]:
    remote, commit = git_of(run, metadata)
    return [
        Fact(_("Git repository"), remote if revealed else mask(remote), "path", repository_url(remote)),
        Fact(_("Git commit"), commit, "path", commit_url(remote, commit)),
    ]


def about_facts(run: Run) -> list[Fact]:
    """Return what the run is, without empty rows."""
    facts = [
        Fact(_("Run path"), f"{run.project.team.name}/{run.project.name}/{run.uid}", "path"),
        Fact(
            _("Author"),
            author_of(run),
            url=reverse("runs:entity", args=[run.user.username]) if run.user else "",
        ),
        Fact(_("Started"), run.started_at, "time"),
        Fact(_("Ended"), run.finished_at, "time"),
        _synced(run),
        Fact(_("Runtime"), run.runtime_s, "duration"),
        Fact(_("Duration"), run.duration_s, "duration"),
        Fact(_("Last step"), _last_step(run)),
        Fact(_("Last signal"), run.pulse.heartbeat_at, "time"),
        Fact(_("Exit code"), "" if run.exit_code is None else str(run.exit_code)),
        *_lineage(run),
    ]
    return _shown(facts)


def _last_step(run: Run) -> str:
    step = read_tree(run.pulse.summary_text).get("_step")
    return number(step) if isinstance(step, int) else ""


def environment_facts(run: Run, *, revealed: bool) -> tuple[list[Fact], list[FoundSecret]]:
    """Return how and where the run was made, without empty rows, and where secrets were found in that."""
    metadata = environments_of(run)[0]
    command, is_secret = command_of(run, metadata, revealed=revealed)
    facts = [
        Fact(_("Command"), command, "code"),
        Fact(_("Working folder"), str(metadata.get("root") or ""), "path"),
        *_git(run, metadata, revealed=revealed),
        Fact(_("Host"), run.host or metadata.get("host", ""), "path"),
        Fact(_("Operating system"), metadata.get("os", "")),
        Fact(_("Python"), metadata.get("python", "")),
        Fact(_("Executable"), metadata.get("executable", ""), "path"),
        Fact(_("Hardware"), _hardware(metadata)),
        Fact(_("CUDA"), str(metadata.get("cudaVersion") or metadata.get("cuda_version") or "")),
        Fact(_("SDK version"), metadata.get("cli_version", "")),
    ]
    always = {_("Command"), _("Host")}
    return _shown(facts, always), [FoundSecret(_("the command line"), "argument")] if is_secret else []


def _shown(facts: list[Fact], always: Collection[str] = ()) -> list[Fact]:
    return [fact for fact in facts if fact.value not in ("", None) or fact.label in always]


def git_of(run: Run, metadata: Metadata) -> tuple[str, str]:
    """Return remote and commit of the code, "" for what is not known."""
    git = _part(metadata, "git")
    return run.git_remote or str(git.get("remote") or ""), run.git_commit or str(git.get("commit") or "")


def git_facts(run: Run) -> dict[str, str]:
    """Return what the head of a run's page says of its code: the repository's name and the short commit, and a link."""
    remote, commit = git_of(run, environments_of(run)[0])
    repository = "/".join(repository_url(remote).split("/")[3:])
    text = f"{repository}@{commit[:_SHORT]}" if repository and commit else commit[:_SHORT]
    return {"git_text": text, "git_commit": commit, "git_url": commit_url(remote, commit)}
