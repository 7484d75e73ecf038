"""REST: what addresses name things by."""

from typing import Any

from tests.matrix.cases import ROLE, Answer, Case, Over
from tests.matrix.permissions import BILLING


def names_in_address(case: Case, row: Any, wanted: set[str]) -> dict[str, Any]:
    """Return what an address names the thing by."""
    if case.over in {Over.ENTITY, Over.ORGANIZATION}:
        there = row.invitations.first()
        known = {"name": row.name, "team": row.name, "organization": row.name, "pk": getattr(there, "pk", 0),
                 "number": ROLE, "username": "guest" if row.name == "elsewhere" else "silent"}  # fmt: skip
        if case.answer_to_allowed is Answer.HIDDEN:
            known["pk"] = 0
        if case.needs.startswith(BILLING):
            known["username"] = "bursar"
    else:
        known = {"pk": row.pk, "run": row.pk, "project": row.pk, "path": str(row), "file": "notes.txt",
                 "username": "member"}  # fmt: skip
        if case.over in {Over.INVOICE, Over.PAYMENT_METHOD}:
            known |= {
                "organization": row.subscription.organization.name,
                "number": getattr(row, "number", ""),
            }
        if case.over is Over.VERSION:
            known |= {
                "collection": row.collection_id, "version": "v0", "alias": "best", "file": "a.txt",
            }  # fmt: skip
        if case.over in {Over.COLLECTION, Over.LINKED}:
            known |= {"collection": row.pk, "version": "v0", "alias": "best", "file": "a.txt"}
        if case.over is Over.REGISTRY:
            known |= {"entity": row.project.team.name, "name": row.name, "registry": row.name,
                      "pk": row.members.get(role="viewer").pk}  # fmt: skip
        if case.over in {Over.VIEW, Over.OWN_VIEW}:
            known["number"] = row.version
        if case.over is Over.RUN:
            known |= {"entity": row.project.team.name, "project_name": row.project.name, "uid": row.uid}
    return {name: known[name] for name in wanted}
