"""Where a run was made, how to make it again, and how that differs from another run."""

import shlex
from dataclasses import dataclass

from django.utils.translation import gettext as _

from access.actor import Actor
from runs.code.packages import PackageChanges, compare_packages, read_packages
from runs.code.saved import PATCH, REQUIREMENTS, SavedCode, text_of
from runs.models import Run
from runs.run_page.overview import Fact, command_of, environment_facts, git_of
from runs.secrets.masking import mask
from runs.selectors import environments_of, listed_runs_of

MOST_RUNS = 100
"""Runs that are offered to compare with."""


@dataclass(frozen=True, slots=True)
class FactPair:
    """One property of both."""

    label: str
    here: str
    there: str

    @property
    def differs(self) -> bool:
        """Whether it is not the same."""
        return self.here != self.there


@dataclass(frozen=True, slots=True)
class EnvironmentComparison:
    """How the environment of one run differs from that of another."""

    other: Run
    pairs: list[FactPair]
    packages: PackageChanges
    has_packages: bool
    """Whether both runs saved theirs."""

    @property
    def is_same(self) -> bool:
        """Whether nothing differs."""
        return not self.packages.rows and not any(pair.differs for pair in self.pairs)


def packages_of(code: SavedCode) -> dict[str, str]:
    """Return the packages that a run had, {} where it saved none."""
    found = text_of(code.named(REQUIREMENTS), revealed=False)
    return read_packages(found.text) if found else {}


def compare_environments(actor: Actor, run: Run, code: SavedCode, other: Run) -> EnvironmentComparison:
    """Return how a run's environment differs from another's; the actor may see both."""
    here, there = (_texts(environment_facts(one, revealed=False)[0]) for one in (run, other))
    labels = list(dict.fromkeys([*here, *there]))
    mine, others = packages_of(code), packages_of(SavedCode(actor, other))
    has_both = bool(mine and others)
    return EnvironmentComparison(
        other,
        [FactPair(label, here.get(label, ""), there.get(label, "")) for label in labels],
        compare_packages(mine, others) if has_both else PackageChanges(),
        has_both,
    )


def _texts(facts: list[Fact]) -> dict[str, str]:
    return {fact.label: str(fact.value or "") for fact in facts}


def runs_beside(actor: Actor, run: Run) -> list[Run]:
    """Return the runs to compare with: those of the project that the actor sees, newest first."""
    rows = listed_runs_of(actor, run.project).exclude(pk=run.pk).order_by("-created_at", "-pk")
    return list(rows[:MOST_RUNS])


def steps_to_repeat(run: Run, code: SavedCode) -> str:
    """Return the commands that make a run again, "" where too little is known of it."""
    metadata = environments_of(run)[0]
    command, _is_secret = command_of(run, metadata, revealed=False)
    if not command:
        return ""
    remote, commit = git_of(run, metadata)
    steps = []
    if remote:
        folder = remote.rstrip("/").rpartition("/")[2].removesuffix(".git")
        steps.append(f"git clone {shlex.quote(mask(remote))} && cd {shlex.quote(folder)}")
    if commit:
        steps.append(f"git checkout {shlex.quote(commit)}")
    if code.named(PATCH):
        steps.append(f"git apply {PATCH}  # {_('uncommitted changes, downloaded from this page')}")
    if code.named(REQUIREMENTS):
        steps.append(f"pip install -r {REQUIREMENTS}")
    return "\n".join([*steps, command])
