"""The Overview tab's rows: what the run is, where it ran, what it was told and what came out (RUN-40)."""

import json
from typing import Any

from django.utils.translation import gettext as _

from accounts.models import display_name_of
from runs.models import Run
from runs.projection import clean_tree, read_lenient, unwrap_config
from runs.selectors import environment_of

Row = tuple[str, Any, str]
"""(label, value, kind): kind is text, time, duration, path, code or link."""

MAX_TEXT = 4000


def _author(run: Run) -> str:
    """Name who ran it: "nightly-bot for alice" when a service account logged it for a member (TEAM-34)."""
    user = display_name_of(run.user) if run.user else _("a former user")
    if run.logged_by is not None and run.logged_by_id != run.user_id:
        return _("%(service)s for %(user)s") % {"service": display_name_of(run.logged_by), "user": user}
    return user


def _hardware(told: dict[str, Any]) -> str:
    parts = []
    if told.get("cpu_count_logical") or told.get("cpu_count"):
        parts.append(_("%(n)s CPUs") % {"n": told.get("cpu_count_logical") or told["cpu_count"]})
    memory = told.get("memory")
    if isinstance(memory, dict) and str(memory.get("total", "")).isdigit():
        parts.append(f"{int(memory['total']) / 2**30:.1f} GiB")
    if told.get("gpu"):
        parts.append(f"{told.get('gpu_count', 1)} × {told['gpu']}")
    return " · ".join(parts)


def _gpu_names(told: dict[str, Any]) -> str:
    cards = told.get("gpu_nvidia") or told.get("gpu_amd") or []
    return ", ".join(str(card.get("name", "")) for card in cards if isinstance(card, dict))


def _command(told: dict[str, Any], run: Run) -> str:
    program = told.get("program") or run.program
    arguments = told.get("args") or []
    python = "python " if str(program).endswith(".py") else ""
    return python + " ".join(str(part) for part in [program, *arguments]) if program else ""


def overview_rows(run: Run) -> list[Row]:
    """Return the table's rows in order; empty values are shown as such."""
    told = environment_of(run)
    given = told.get("git")
    git: dict[str, Any] = given if isinstance(given, dict) else {}
    remote = run.git_remote or git.get("remote") or ""
    rows: list[Row] = [
        (_("Run path"), f"{run.project.team.name}/{run.project.name}/{run.uid}", "path"),
        (_("Author"), _author(run), "text"),
        (_("Started"), run.started_at, "time"),
        (_("Runtime"), run.runtime_s, "duration"),
        (_("Duration"), run.duration_s, "duration"),
        (_("Last signal"), run.pulse.heartbeat_at, "time"),
        (_("Command"), _command(told, run), "code"),
        (_("Host"), run.host or told.get("host", ""), "text"),
        (_("Operating system"), told.get("os", ""), "text"),
        (_("Python"), told.get("python", ""), "text"),
        (_("Executable"), told.get("executable", ""), "path"),
        (_("Hardware"), _hardware(told), "text"),
        (_("GPUs"), _gpu_names(told), "text"),
        (_("Git repository"), remote, "link" if remote.startswith("https://") else "code"),
        (_("Git commit"), run.git_commit or git.get("commit", ""), "code"),
        (_("Group"), run.group, "text"),
        (_("Job type"), run.job_type, "text"),
        (_("SDK version"), told.get("cli_version", ""), "text"),
    ]
    if run.exit_code is not None:
        rows.insert(6, (_("Exit code"), str(run.exit_code), "text"))
    if run.pulse.bad_lines:
        rows.append((_("Lines set aside"), _("%(n)s malformed") % {"n": run.pulse.bad_lines}, "text"))
    return [row for row in rows if row[1] or row[0] in {_("Command"), _("Host")}]


def _items(tree: Any, start: str = "", depth: int = 1) -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for key, value in tree.items():
        name = f"{start}{key}"
        if isinstance(value, dict) and value and "_type" not in value and depth < 12:
            found += _items(value, f"{name}.", depth + 1)
        else:
            text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
            found.append((name, text[:MAX_TEXT]))
    return found


def _tree(text: str) -> dict[str, Any]:
    try:
        tree = clean_tree(read_lenient(text))
    except ValueError:
        return {}
    return tree if isinstance(tree, dict) else {}


def config_items(run: Run) -> list[tuple[str, str]]:
    """Return the user's configuration by dotted key."""
    return sorted(_items(unwrap_config(_tree(run.config_text))))


def summary_items(run: Run) -> list[tuple[str, str]]:
    """Return the summary by dotted key."""
    return sorted(
        _items({key: value for key, value in _tree(run.pulse.summary_text).items() if key != "_wandb"})
    )
