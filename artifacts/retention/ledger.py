"""That the ledger of bytes says what projects hold for their artifacts (BIL-4)."""

from collections import defaultdict

from django.db.models import F, Sum

from artifacts.contents import CATEGORY
from artifacts.models import Content
from runs.models import Project
from storage.models import Holding
from storage.services import record_bytes


def settle(project: Project | None = None) -> int:
    """Enter into the ledger what it lacks of a project, or of all; returns of how many projects it was wrong.

    What a project holds and what the ledger says are read by one statement: bytes that are entered meanwhile are in
    both or in neither, and balances are added to. A project that moved takes its bytes from its former team.
    """
    held = Content.objects.order_by().values_list("project__team_id", "project_id")
    booked = Holding.objects.filter(run_id=0, category=CATEGORY).order_by()
    if project is not None:
        held, booked = held.filter(project=project), booked.filter(project_id=project.pk)
    rows = held.annotate(size=Sum("size_bytes")).union(
        booked.values_list("team_id", "project_id").annotate(size=-F("size_bytes")), all=True
    )
    lacking: dict[tuple[int, int], int] = defaultdict(int)
    for team_id, project_id, size in rows:
        lacking[team_id, project_id] += size
    wrong = {owner: size for owner, size in sorted(lacking.items()) if size}
    for (team_id, project_id), size in wrong.items():
        record_bytes(team_id=team_id, project_id=project_id, category=CATEGORY, delta_bytes=size)
    return len({project_id for _team_id, project_id in wrong})
