"""REST: viewset and action to how it is used."""

from tests.matrix.cases import Case, Over
from tests.matrix.permissions import ANYONE

_PUBLIC = frozenset({"public", "open"})

ROUTES: dict[str, list[Case]] = {
    "ProjectViewSet.list": [Case("projects: view", Over.PROJECT, listed=True)],
    "ProjectViewSet.retrieve": [Case("projects: view", Over.PROJECT)],
    "ProjectViewSet.columns": [Case("projects: view", Over.PROJECT)],
    "FilterViewSet.list": [Case(ANYONE)],
    "RunViewSet.list": [Case("runs: view", Over.RUN, listed=True)],
    "RunViewSet.retrieve": [Case("runs: view", Over.RUN)],
    "HistoryViewSet.history": [Case("runs: view", Over.RUN)],
    "HistoryViewSet.system": [Case("runs: view", Over.RUN)],
    "SavedViewViewSet.list": [
        Case("projects: view", Over.PROJECT),
        Case("projects: view", Over.VIEW, listed=True),
        Case("views: read own", Over.OWN_VIEW, listed=True),
    ],
    # who is not signed in reads shared views only, see runs/tests/test_saved_views.py
    "SavedViewViewSet.create": [
        Case("projects: view", Over.PROJECT, "POST", {"name": "new", "spec": {}}, without=_PUBLIC),
        Case("projects: edit overview", Over.PROJECT, "POST", {"name": "new", "spec": {}, "shared": True}),
    ],
    "SavedViewViewSet.retrieve": [
        Case("projects: view", Over.VIEW),
        Case("views: read own", Over.OWN_VIEW),
    ],
    "SavedViewViewSet.partial_update": [
        Case("projects: edit overview", Over.VIEW, "PATCH", {"name": "other"}),
        Case("views: read own", Over.OWN_VIEW, "PATCH", {"name": "other"}),
    ],
    "SavedViewViewSet.destroy": [
        Case("projects: edit overview", Over.VIEW, "DELETE"),
        Case("views: read own", Over.OWN_VIEW, "DELETE"),
    ],
    "SavedViewViewSet.working": [Case("projects: view", Over.PROJECT)],
    "SavedViewViewSet.merge_working": [
        Case("projects: view", Over.PROJECT, "PATCH", {"runs": {}}, without=_PUBLIC)
    ],
    "RunViewSet.stop": [Case("runs: stop", Over.RUN, "POST")],
}
