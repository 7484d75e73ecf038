"""The SDK's protocol as far as the demo needs it (docs/develop/protocol.md)."""

import json
import os
import threading
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import urlsplit

import requests
from requests.adapters import HTTPAdapter
from urllib3.util import Retry

UPSERT = """
mutation UpsertBucket($entity: String, $project: String, $name: String, $displayName: String, $config: JSONString,
  $tags: [String!], $groupName: String, $jobType: String, $notes: String, $host: String, $program: String,
  $commit: String, $repo: String) {
  upsertBucket(input: {entityName: $entity, modelName: $project, name: $name, displayName: $displayName,
    config: $config, tags: $tags, groupName: $groupName, jobType: $jobType, notes: $notes, host: $host,
    jobProgram: $program, commit: $commit, jobRepo: $repo}) { bucket { name } }
}
"""
DESCRIBE = """
mutation UpsertModel($entity: String!, $project: String!, $text: String!) {
  upsertModel(input: {entityName: $entity, name: $project, description: $text}) { model { name } }
}
"""
FILES = """
mutation CreateRunFiles($entity: String!, $project: String!, $run: String!, $files: [String!]!) {
  createRunFiles(input: {entityName: $entity, projectName: $project, runName: $run, files: $files}) {
    files { name uploadUrl }
  }
}
"""


class Server:
    """A running server, as one person's SDK sees it; threads have connections of their own."""

    def __init__(self, url: str, key: str) -> None:
        self._url = url.rstrip("/")
        self._key = key
        self._local = threading.local()

    def ask(self, query: str, **variables: Any) -> Any:
        """Return the data of a GraphQL answer.

        Raises:
            RuntimeError: it has errors.
        """
        content = json.dumps({"query": query, "variables": variables}).encode()
        answer = json.loads(self._send("POST", f"{self._url}/graphql", content, auth=("api", self._key)))
        if answer.get("errors"):
            raise RuntimeError(answer["errors"][0]["message"])
        return answer["data"]

    def post(self, path: str, body: Any) -> None:
        """Post JSON."""
        self._send("POST", f"{self._url}{path}", json.dumps(body).encode(), auth=("api", self._key))

    def put(self, url: str, content: bytes) -> None:
        """Upload to a signed URL of this server, which needs no key."""
        parts = urlsplit(url)
        self._send("PUT", f"{self._url}{parts.path}" + (f"?{parts.query}" if parts.query else ""), content)

    def _send(self, method: str, url: str, content: bytes, *, auth: tuple[str, str] | None = None) -> bytes:
        headers = {"Content-Type": "application/json"}
        reply = self._session().request(method, url, data=content, headers=headers, auth=auth, timeout=60)
        if reply.status_code >= 400:
            raise RuntimeError(f"{method} {urlsplit(url).path}: {reply.status_code} {reply.text[:300]!r}")
        return reply.content

    def _session(self) -> requests.Session:
        session: requests.Session | None = getattr(self._local, "session", None)
        if session is None:
            session = self._local.session = requests.Session()
            session.trust_env = False  # neither netrc files nor proxies for other hosts are asked
            session.verify = os.environ.get("SSL_CERT_FILE") or True
            session.mount(
                self._url, HTTPAdapter(max_retries=Retry(3, backoff_factor=0.5, allowed_methods=None))
            )
        return session


@dataclass(slots=True)
class LoggedRun:
    """A run under way, with the offsets of its streams."""

    server: Server
    entity: str
    project: str
    uid: str
    offsets: dict[str, int] = field(default_factory=dict)
    summary: dict[str, Any] = field(default_factory=dict)

    @classmethod
    def begin(cls, server: Server, entity: str, project: str, uid: str, **fields: Any) -> "LoggedRun":
        """Begin a run; ``config`` is the user's, the rest is named as in the mutation."""
        config = {key: {"value": value} for key, value in fields.pop("config", {}).items()}
        config["_wandb"] = {"value": fields.pop("told", {})}
        server.ask(UPSERT, entity=entity, project=project, name=uid, config=json.dumps(config), **fields)
        return cls(server, entity, project, uid)

    def log(
        self,
        rows: Sequence[dict[str, Any]] = (),
        system: Sequence[dict[str, Any]] = (),
        lines: Sequence[str] = (),
    ) -> None:
        """Post rows of history, samples of hardware and console lines; the summary follows the rows."""
        files: dict[str, Any] = {}
        streams: Iterable[tuple[str, Sequence[str]]] = (
            ("wandb-history.jsonl", [json.dumps(row) for row in rows]),
            ("wandb-events.jsonl", [json.dumps(sample) for sample in system]),
            ("output.log", lines),
        )
        for name, content in streams:
            if content:
                files[name] = {"offset": self.offsets.get(name, 0), "content": list(content)}
                self.offsets[name] = self.offsets.get(name, 0) + len(content)
        for row in rows:
            self.summary.update(row)
        files["wandb-summary.json"] = {"offset": 0, "content": [json.dumps(self.summary)]}
        self._post({"files": files})

    def finish(self, exit_code: int = 0) -> None:
        """End the run."""
        self._post({"complete": True, "exitcode": exit_code})

    def upload(self, files: dict[str, bytes]) -> None:
        """Upload files by their paths."""
        names = {"entity": self.entity, "project": self.project, "run": self.uid}
        made = self.server.ask(FILES, files=list(files), **names)["createRunFiles"]["files"]
        for file in made:
            self.server.put(file["uploadUrl"], files[file["name"]])

    def _post(self, body: dict[str, Any]) -> None:
        self.server.post(f"/files/{self.entity}/{self.project}/{self.uid}/file_stream", body)
