"""Lean ASGI endpoints: path to how it is used. A ticket is its own right, whoever holds it."""

from tests.matrix.cases import Answer, Case, Over
from tests.matrix.permissions import ANYONE

ROUTES: dict[str, list[Case]] = {
    "/files/{entity}/{project}/{run}/file_stream": [Case("runs: log", Over.RUN, "POST")],
    "/api/v1/runs/{entity}/{project_name}/{uid}/stream": [
        Case("runs: log", Over.RUN, "POST", {"writer": "0123456789abcdef"})
    ],
    "/storage/put/{token}": [
        Case(ANYONE, method="PUT", args={"token": "put"}),
        Case(ANYONE, method="PUT", args={"token": "forged"}, answer=Answer.FORBIDDEN),
    ],
    "/storage/part/{token}": [
        Case(ANYONE, method="PUT", args={"token": "part"}),
        Case(ANYONE, method="PUT", args={"token": "forged"}, answer=Answer.FORBIDDEN),
    ],
    "/storage/get/{token}": [
        Case(ANYONE, args={"token": "get"}),
        Case(ANYONE, args={"token": "forged"}, answer=Answer.FORBIDDEN),
    ],
    "/storage/get/{token}/{name}": [
        Case(ANYONE, args={"token": "get"}),
        Case(ANYONE, args={"token": "forged", "name": "shown.txt"}, answer=Answer.FORBIDDEN),
    ],
    "/sdk/otel/v1/{signal}": [Case(ANYONE, args={"signal": "traces"}, answer=Answer.HIDDEN)],
    "/static": [Case(ANYONE, args={"path": "no-such-file"}, answer=Answer.HIDDEN)],
}
