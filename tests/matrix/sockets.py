"""WebSockets: pattern to how it is used."""

from tests.matrix.cases import Case, Over
from tests.matrix.permissions import SIGNED_IN

ROUTES: dict[str, list[Case]] = {
    "ws/me": [Case(SIGNED_IN)],
    "ws/projects/<int:pk>": [Case("projects: view", Over.PROJECT)],
    "ws/projects/<int:pk>/runs": [Case("projects: view", Over.PROJECT)],
    "ws/runs/<int:pk>": [Case("runs: view", Over.RUN)],
}
