"""REST: viewset and action to how it is used."""

from tests.matrix.cases import Case, Over

ROUTES: dict[str, list[Case]] = {
    "ProjectViewSet.list": [Case("projects: view", Over.PROJECT, listed=True)],
    "ProjectViewSet.retrieve": [Case("projects: view", Over.PROJECT)],
    "RunViewSet.list": [Case("runs: view", Over.RUN, listed=True)],
    "RunViewSet.retrieve": [Case("runs: view", Over.RUN)],
    "HistoryViewSet.history": [Case("runs: view", Over.RUN)],
    "HistoryViewSet.system": [Case("runs: view", Over.RUN)],
    "RunViewSet.stop": [Case("runs: stop", Over.RUN, "POST")],
}
