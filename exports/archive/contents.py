"""What an archive holds, in the order it is written. `README.md` in the archive is its documentation."""

from collections.abc import Callable, Iterator
from typing import Any

from django.db.models import QuerySet
from django.utils import timezone

from access.actor import Actor
from access.engine import visible
from common.formats.strict_json import strict_text
from exports.archive.alerts import alerts_of, automations_of
from exports.archive.artifacts import write_artifacts
from exports.archive.registries import write_registries
from exports.archive.sweeps import write_sweeps
from exports.archive.writer import Archive
from metrics.downloads.formats import DownloadFormat, pieces_of
from metrics.models import StreamKind
from runs.access import ProjectAction, RunAction
from runs.logs.blocks import log_lines_between
from runs.logs.console_lines import read_line
from runs.models import Project, ProjectMember, Run
from runs.saved_views.selectors import views_of
from runs.selectors import files_of
from storage.contents.reading import content_of
from teams.models import Membership, Team

FORMAT = 1
_LINES_AT_ONCE = 5000
_RUN_COLUMNS = (
    "uid", "number", "display_name", "state", "started_at", "synced_at", "finished_at", "exit_code", "forked_at_step",
    "tags", "notes", "description", "group", "job_type", "sweep", "host", "program", "git_remote", "git_commit",
    "is_protected",
)  # fmt: skip
_README = """\
# What this archive holds

Made by Runyard (format {format}) for {asker}, on {at:%Y-%m-%d %H:%M} UTC: what {team} owns and {asker} may see.
Times are ISO 8601 in UTC. `.jsonl` files have one JSON object a line. Texts are UTF-8.
JSON has no word for NaN and infinities: they are the texts "NaN", "Infinity" and "-Infinity".

| Path | What |
|---|---|
| `team.json` | the team and its organization |
| `members.jsonl` | who belongs to it, with roles; service accounts among them |
| `alerts.json` | what the team is told of and where it goes: without addresses, and of secrets only their names |
| `automations.jsonl` | what is done by itself when something happens |
| `projects/NAME/project.json` | a project: description (Markdown), visibility, protected tags, its own members |
| `projects/NAME/views.jsonl` | saved views of its pages: the shared ones and {asker}'s own |
| `projects/NAME/runs.jsonl` | its runs: the folder, the id and the name of each |
| `projects/NAME/runs/NUMBER/run.json` | a run: id, name, author, times, states, tags, notes, alerts, Git, host |
| `projects/NAME/runs/NUMBER/config.json`, `summary.json` | as the SDK sent them |
| `projects/NAME/runs/NUMBER/history.jsonl` | all rows that were logged, in the order of `_step` |
| `projects/NAME/runs/NUMBER/system.jsonl` | hardware samples, by `_timestamp` |
| `projects/NAME/runs/NUMBER/output.log` | the console log, secrets included |
| `projects/NAME/runs/NUMBER/files/…` | the files of the run |
| `projects/NAME/artifacts/collections.jsonl` | its artifacts: name, type, description, tags, time to live |
| `projects/NAME/artifacts/versions.jsonl` | their versions: aliases, tags, metadata, which runs logged and used each |
| `projects/NAME/artifacts/links.jsonl` | which versions its portfolios link, with their aliases there |
| `projects/NAME/artifacts/manifests/ID.json` | what a version consists of: paths, references, MD5 digests in base64 |
| `projects/NAME/artifacts/content/MD5` | a content by its digest, in hexadecimal: once, however many versions name it |
| `projects/NAME/sweeps.jsonl` | its sweeps: ID, name, method, metric, state, best value |
| `projects/NAME/sweeps/ID/config.yaml` | the configuration of a sweep, as it was sent |
| `projects/NAME/sweeps/ID/agents.jsonl` | the processes that worked on it: host, user, times |
| `projects/NAME/sweeps/ID/trials.jsonl` | the arguments that it handed out, with the id of each run |
| `registries/ENTITY/NAME/registry.json` | its model registry, and its organization's that link its versions: members, \
protected aliases |
| `registries/ENTITY/NAME/collections.jsonl` | what is said of collections; of the organization's, those with its \
versions |
| `registries/ENTITY/NAME/links.jsonl` | which versions these link, with their aliases there |
| `missing.txt` | only if there are any: files that were listed but could not be read |

Not in it: deleted runs, artifacts, sweeps and projects, API keys, passwords, addresses and secrets of
webhooks{left_out}.
"""


def projects_in(actor: Actor, team: Team) -> QuerySet[Project]:
    """Return the projects that an archive for the actor holds."""
    return visible(actor, ProjectAction.VIEW, Project.objects.live().filter(team=team)).order_by("pk")


def projects_left_out(actor: Actor, team: Team) -> list[str]:
    """Return the names of the team's projects that the actor may not see: restricted ones of others."""
    seen = projects_in(actor, team).values("pk")
    rest = Project.objects.live().filter(team=team).exclude(pk__in=seen)
    return list(rest.order_by("name").values_list("name", flat=True))


def runs_in(actor: Actor, team: Team) -> QuerySet[Run]:
    """Return the runs that an archive for the actor holds."""
    runs = Run.objects.live().filter(project__in=projects_in(actor, team).values("pk"))
    return visible(actor, RunAction.VIEW, runs)


def write(archive: Archive, actor: Actor, team: Team, after_run: Callable[[], None]) -> None:
    """Write everything; ``after_run`` is called when a run is in the archive."""
    _write_team(archive, actor, team)
    archive.add_json("alerts.json", alerts_of(actor, team))
    archive.add_lines("automations.jsonl", automations_of(actor, team))
    for project in projects_in(actor, team):
        place = f"projects/{project.name}"
        _write_project(archive, actor, project, place)
        write_artifacts(archive, actor, project, f"{place}/artifacts")
        write_sweeps(archive, actor, project, f"{place}/sweeps")
        runs = runs_in(actor, team).filter(project=project).order_by("pk")
        listed = list(runs.values_list("pk", "uid", "display_name"))
        archive.add_lines(f"{place}/runs.jsonl", map(_index_entry, listed))
        for pk, _uid, _name in listed:
            run = runs.select_related("user", "logged_by", "forked_from", "pulse").filter(pk=pk).first()
            if run is not None:  # deleted or moved since
                _write_run(archive, run, f"{place}/{_folder(run.pk)}")
            after_run()
    write_registries(archive, actor, team)
    if archive.missing:
        archive.add_text("missing.txt", "".join(f"{name}\n" for name in archive.missing))


def _folder(pk: int) -> str:
    """Return a run's folder, which its id cannot name: it may be ``..``, or longer than a file's name."""
    return f"runs/{pk}"


def _index_entry(row: tuple[int, str, str]) -> dict[str, str]:
    return {"folder": _folder(row[0]), "uid": row[1], "display_name": row[2]}


def _write_team(archive: Archive, actor: Actor, team: Team) -> None:
    hidden = projects_left_out(actor, team)
    left_out = f"; and restricted projects that {actor.name} is not in: {', '.join(hidden)}" if hidden else ""
    archive.add_text(
        "README.md",
        _README.format(format=FORMAT, asker=actor.name, at=timezone.now(), team=team, left_out=left_out),
    )
    organization = team.organization
    archive.add_json(
        "team.json",
        {
            "format": FORMAT,
            "name": team.name,
            "kind": team.kind,
            "organization": organization.name if organization else None,
            "created_at": team.created_at,
            "exported_at": timezone.now(),
        },
    )
    members = Membership.objects.filter(team=team).select_related("user", "role").order_by("pk")
    archive.add_lines(
        "members.jsonl",
        (
            {
                "username": one.user.username,
                "name": one.user.display_name,
                "email": one.user.email,
                "kind": one.user.kind,
                "role": one.role.name,
                "since": one.created_at,
            }
            for one in members
        ),
    )


def _write_project(archive: Archive, actor: Actor, project: Project, place: str) -> None:
    invited = ProjectMember.objects.filter(project=project).select_related("user", "role")
    about = {
        "name": project.name,
        "description": project.description,
        "visibility": project.visibility,
        "protected_tags": project.protected_tags,
        "created_at": project.created_at,
        "members": [{"username": one.user.username, "role": one.role.name} for one in invited],
    }
    archive.add_json(f"{place}/project.json", about)
    views = (
        {
            "name": view.name,
            "shared": view.is_shared,
            "spec": view.spec,
            "version": view.version,
            "earlier": list(view.earlier.values("number", "saved_by__username", "saved_at", "spec")),
        }
        for view in views_of(actor, project)
    )
    archive.add_lines(f"{place}/views.jsonl", views)


def _about(run: Run) -> dict[str, Any]:
    about = {name: getattr(run, name) for name in _RUN_COLUMNS}
    changes = run.state_changes.order_by("pk").values("state", "at", "noticed_at")
    alerts = run.alerts.filter(is_sent=True).order_by("pk").values("title", "text", "level", "at")
    return {
        **about,
        "user": run.user.username if run.user else None,
        "logged_by": run.logged_by.username if run.logged_by else None,
        "forked_from": run.forked_from.uid if run.forked_from else None,
        "runtime_s": run.duration_s,
        "heartbeat_at": run.pulse.heartbeat_at,
        "state_changes": list(changes),
        "alerts": list(alerts),
    }


def _log_of(run: Run) -> Iterator[bytes]:
    for start in range(0, run.pulse.log_lines, _LINES_AT_ONCE):
        lines = log_lines_between(run.pk, start, min(run.pulse.log_lines, start + _LINES_AT_ONCE))
        yield "".join(f"{'' if raw is None else read_line(raw).text}\n" for raw in lines).encode(
            errors="replace"
        )


def _write_run(archive: Archive, run: Run, place: str) -> None:
    archive.add_json(f"{place}/run.json", _about(run))
    archive.add_text(f"{place}/config.json", strict_text(run.config_text))
    archive.add_text(f"{place}/summary.json", strict_text(run.pulse.summary_text))
    archive.add_pieces(
        f"{place}/history.jsonl", pieces_of(run.pk, StreamKind.HISTORY, DownloadFormat.JSONL, revealed=True)
    )
    archive.add_pieces(
        f"{place}/system.jsonl", pieces_of(run.pk, StreamKind.SYSTEM, DownloadFormat.JSONL, revealed=True)
    )
    if run.pulse.log_lines:
        archive.add_pieces(f"{place}/output.log", _log_of(run))
    for file in files_of(run):
        name = f"{place}/files/{file.name}"
        try:
            archive.add_content(name, content_of(file.blob))
        except (
            FileNotFoundError
        ):  # removed since it was listed, or lost on the disk: the rest is worth having
            archive.missing.append(name)
