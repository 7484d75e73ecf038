"""What code panels compare: one file of the code that several runs saved (RUN-26)."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from access.web.requests import actor_of
from metrics.views.workspace import WorkspaceRequest, json_answer
from runs.access import ProjectAction
from runs.code import versions
from runs.code.versions import CodeVersion, CodeVersions
from runs.models import Run


@declare(ProjectAction.VIEW)
@require_GET
@never_cache
def code_versions(request: HttpRequest, entity: str, project: str) -> HttpResponse:
    """Return the versions of a ``file`` over some runs, the texts of two of them, and how these differ.

    ``left`` and ``right`` are ids of runs whose versions are wanted; without them the first two versions.
    """
    chosen = WorkspaceRequest.of(request, entity, project, whole=True)
    found = versions.code_versions(actor_of(request), chosen.runs, request.GET.get("file", ""))
    pair = _pair(found, request.GET.get("left", ""), request.GET.get("right", ""))
    body = {
        "file": found.name,
        "files": found.names,
        "versions": [_uids(version.runs) for version in found.versions],
        "missing": _uids(found.missing),
        "most_runs": versions.MOST_RUNS,
        "most_lines": versions.MOST_LINES,
        "pair": [{"version": found.versions.index(version), **_text(version)} for version in pair],
        "blocks": _blocks(pair),
    }
    return json_answer(request, body)


def _uids(runs: list[Run]) -> list[str]:
    return [run.uid for run in runs]


def _pair(found: CodeVersions, left: str, right: str) -> list[CodeVersion]:
    """Return the versions that are shown: of these runs, else the first and the next; one where all are the same."""
    of = {run.uid: version for version in found.versions for run in version.runs}
    first = of.get(left) or next(iter(found.versions), None)
    second = of.get(right) or next((version for version in found.versions if version is not first), None)
    return [version for version in (first, second) if version]


def _text(version: CodeVersion) -> dict[str, Any]:
    text = version.text
    return {"text": text.text, "language": text.language, "is_cut": text.is_cut}


def _blocks(pair: list[CodeVersion]) -> list[versions.Block] | None:
    """Return how the lines of two versions belong together; None where there are not two, or one is too long."""
    if len(pair) < 2:
        return None
    return versions.compare_lines(pair[0].text.text, pair[1].text.text)
