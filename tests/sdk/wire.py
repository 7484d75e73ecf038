"""The SDK's protocol without the SDK: a client, and a proxy that writes down what the SDK really sends."""

import contextlib
import http.client
import http.server
import json
import logging
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx

from tests import clients
from tests.fakes.serving import serving
from tests.waiting import PATIENCE_S

logging.getLogger("httpx").setLevel(logging.WARNING)  # or every failure drowns in its lines

UPSERT = """
mutation UpsertBucket(
  $name: String, $project: String, $entity: String, $config: JSONString, $groupName: String
) {
  upsertBucket(
    input: {name: $name, modelName: $project, entityName: $entity, config: $config, groupName: $groupName}
  ) {
    bucket { id name historyLineCount project { name entity { name } } } inserted
  }
}"""
CREATE_FILES = """
mutation CreateRunFiles($entity: String!, $project: String!, $run: String!, $files: [String!]!) {
  createRunFiles(input: {entityName: $entity, projectName: $project, runName: $run, files: $files}) {
    files { name uploadUrl } } }"""
RUN = """
query Run($project: String!, $entity: String!, $name: String!) {
  project(name: $project, entityName: $entity) { run(name: $name) {
    id state exitcode createdAt heartbeatAt historyLineCount eventsLineCount logLineCount summaryMetrics config tags
    history(minStep: 0) logLines(last: 10000) { edges { node { number level line } } }
  } }
}"""

FILES = """
query Files($project: String!, $entity: String!, $name: String!) {
  project(name: $project, entityName: $entity) { run(name: $name) {
    files(first: 1000) { edges { node { name } } } } } }"""


@dataclass(frozen=True)
class Run:
    """Where a run is, as the server's answer to UpsertBucket says."""

    entity: str
    project: str
    uid: str
    id: str = ""
    line_count: int = 0

    @property
    def stream(self) -> str:
        """The path its posts go to."""
        return f"/files/{self.entity}/{self.project}/{self.uid}/file_stream"

    @property
    def page(self) -> str:
        """The path of its page."""
        return f"/{self.entity}/{self.project}/runs/{self.uid}"


class Wire:
    """Speaks to an installation with one API key, over sockets unless it is given another transport."""

    def __init__(self, url: str, key: str, transport: httpx.BaseTransport | None = None) -> None:
        auth = ("api", key) if key else None
        self.http = clients.client(base_url=url, auth=auth, transport=transport)

    def ask(self, query: str, **variables: Any) -> httpx.Response:
        """Send one GraphQL document."""
        return self.http.post("/graphql", json={"query": query, "variables": variables})

    def data(self, query: str, **variables: Any) -> Any:
        """Return the data of an answer without errors."""
        reply = self.ask(query, **variables)
        body = reply.json()
        assert reply.status_code == 200, body
        assert "errors" not in body, body
        return body["data"]

    def begin(self, project: str, uid: str | None = None, entity: str | None = None, **fields: Any) -> Run:
        """Begin a run, or go on with one."""
        made = self.data(UPSERT, project=project, name=uid, entity=entity, **fields)["upsertBucket"]["bucket"]
        where = made["project"]
        return Run(where["entity"]["name"], where["name"], made["name"], made["id"], made["historyLineCount"])

    def run(self, run: Run) -> dict[str, Any]:
        """Return a run's fields, history and log."""
        found = self.find(run)
        assert found, f"{run} is not there"
        return found

    def find(self, run: Run) -> dict[str, Any]:
        """Return a run's fields, history and log; nothing while there is no such run, or project."""
        project = self.data(RUN, project=run.project, entity=run.entity, name=run.uid)["project"]
        return dict((project and project["run"]) or {})

    def rows(self, run: Run) -> list[dict[str, Any]]:
        """Return the run's history, in order of steps."""
        return [json.loads(line) for line in self.run(run)["history"]]

    def log(self, run: Run) -> list[str]:
        """Return the run's console lines."""
        return [edge["node"]["line"] for edge in self.run(run)["logLines"]["edges"]]

    def files(self, run: Run) -> set[str]:
        """Return the names of the run's files."""
        found = self.data(FILES, project=run.project, entity=run.entity, name=run.uid)
        return {edge["node"]["name"] for edge in found["project"]["run"]["files"]["edges"]}

    def post(self, run: Run, body: Any, **headers: str) -> httpx.Response:
        """Send one file_stream post; ``body`` may be bytes that are no JSON at all."""
        content = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.http.post(run.stream, content=content, headers=headers)


def history(offset: int, *rows: dict[str, Any]) -> dict[str, Any]:
    """Return a post with rows of history."""
    lines = [json.dumps(row) for row in rows]
    return {"files": {"wandb-history.jsonl": {"offset": offset, "content": lines}}}


def row(step: int, **values: Any) -> dict[str, Any]:
    """Return one row as the SDK's core makes it."""
    return {"_step": step, "_timestamp": 1_790_000_000 + step * 0.5, "_runtime": step * 0.5, **values}


@dataclass
class Recorder:
    """A proxy on a port of its own that keeps every body the SDK sends."""

    url: str
    posts: list[tuple[str, bytes]] = field(default_factory=list)
    """(path, body) of every request with a body, in order."""
    answers: list[tuple[dict[str, Any], int, dict[str, Any]]] = field(default_factory=list)
    """(request, status, reply) of every GraphQL operation, in order."""
    statuses: list[tuple[str, int]] = field(default_factory=list)
    """(path, status) of every answer, in order."""

    def lines(self, name: str, run: str = "") -> list[str]:
        """Return the lines sent of one file of a run's file_stream (of the only run's), by their offsets."""
        lines: dict[int, str] = {}
        for path, body in self.posts:
            if path.endswith(f"{run}/file_stream"):
                sent = json.loads(body).get("files", {}).get(name, {"offset": 0, "content": []})
                lines.update(enumerate(sent["content"], sent["offset"]))
        return [lines[number] for number in sorted(lines)]

    def operations(self, name: str) -> list[dict[str, Any]]:
        """Return the variables of every GraphQL operation of this name."""
        bodies = [json.loads(body) for path, body in self.posts if path == "/graphql"]
        return [body["variables"] for body in bodies if body.get("operationName") == name]


@contextlib.contextmanager
def recording(port: int) -> Iterator[Recorder]:
    """Put a recorder in front of the server on ``port``."""

    class Handler(http.server.BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def forward(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            if body:
                recorder.posts.append((self.path, body))
            link = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE_S)
            link.request(self.command, self.path, body, dict(self.headers.items()))
            reply = link.getresponse()
            content = reply.read()
            link.close()
            recorder.statuses.append((self.path, reply.status))
            if self.path == "/graphql":
                # uploads and downloads are to come by here, too, not to where RUNYARD_URL says
                content = content.replace(f"http://127.0.0.1:{port}/".encode(), f"{recorder.url}/".encode())
                recorder.answers.append((json.loads(body), reply.status, json.loads(content)))
            self.send_response_only(reply.status)
            for name, value in reply.getheaders():
                if name.lower() not in {"transfer-encoding", "content-length", "connection"}:
                    self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            with contextlib.suppress(BrokenPipeError, ConnectionResetError):  # the SDK's process may be over
                self.wfile.write(content)

        do_GET = do_POST = do_PUT = forward

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    class Proxy(http.server.ThreadingHTTPServer):
        def handle_error(self, *_: Any) -> None:
            """Say nothing: a client that ends resets what it kept alive."""

    proxy = Proxy(("127.0.0.1", 0), Handler)
    recorder = Recorder(f"http://127.0.0.1:{proxy.server_port}")
    with serving(proxy):
        yield recorder
