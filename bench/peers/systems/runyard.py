"""Runyard by its production command line. Clients: the unmodified SDK, and bare posts to file_stream."""

import base64
import http.cookiejar
import json
import os
import random
import re
import subprocess
import sys
import time
import urllib.parse
import urllib.request
from pathlib import Path
from typing import Any

from bench.peers.data import TABLE_ROWS
from bench.peers.link import Ask, Link
from bench.peers.system import Server, System, Writer

ROOT = Path(__file__).resolve().parents[3]
WHO = PROJECT = "bench"
ARTIFACT = "files"
VALUES_A_POST = 4000

BEGIN = """
mutation Begin($run: String!, $project: String!, $config: JSONString) {
  upsertBucket(input: {name: $run, displayName: $run, modelName: $project, config: $config}) { bucket { id } }
}"""
HISTORY = """
query History($project: String!, $entity: String!, $run: String!) {
  project(name: $project, entityName: $entity) { run(name: $run) { history(minStep: 0) } }
}"""
RUNS = """
query Runs($project: String!, $entity: String!, $order: String, $filters: JSONString, $first: Int) {
  project(name: $project, entityName: $entity) {
    runCount(filters: $filters)
    runs(filters: $filters, first: $first, order: $order) {
      edges { node { %s } cursor } pageInfo { endCursor hasNextPage }
    }
  }
}"""
TABLE = "id name displayName state createdAt heartbeatAt tags group user { username } config summaryMetrics"
WHOLE = (
    TABLE + " sweepName jobType commit readOnly description notes systemMetrics historyLineCount historyKeys"
)
"""All that `wandb.Api().runs(lazy=False)` asks for."""


class Sdk:
    """The SDK, as a script uses it."""

    def __init__(self, folder: str, run: str, config: dict[str, str], *, hardware: bool, mode: str) -> None:
        os.environ |= {"WANDB_SILENT": "true", "WANDB_DIR": folder}
        import wandb

        settings = wandb.Settings(x_disable_stats=not hardware)
        self._run = wandb.init(project=PROJECT, id=run, name=run, config=config, mode=mode, settings=settings)

    def log(self, values: dict[str, float], step: int) -> None:
        self._run.log(values, step=step)

    def finish(self) -> None:
        self._run.finish()


class Raw:
    """The posts that the SDK's core makes, one after the other."""

    def __init__(self, link: Link, run: str, config: dict[str, str]) -> None:
        self._link, self._stream = link, f"/files/{WHO}/{PROJECT}/{run}/file_stream"
        self._lines: list[str] = []
        self._offset, self._width, self._began = 0, 1, time.time()
        wrapped = json.dumps({key: {"value": value} for key, value in config.items()})
        ask(link, BEGIN, run=run, project=PROJECT, config=wrapped)

    def log(self, values: dict[str, float], step: int) -> None:
        now = time.time()
        row = list({**values, "_step": step, "_timestamp": now, "_runtime": now - self._began}.items())
        random.shuffle(row)  # the SDK's core walks a Go map: no two of its lines have their keys in one order
        self._lines.append(json.dumps(dict(row)))
        self._width = len(values)
        if len(self._lines) * self._width >= VALUES_A_POST:
            self._post()

    def _post(self, **more: Any) -> None:
        files = {}
        if self._lines:
            files = {
                "wandb-history.jsonl": {"offset": self._offset, "content": self._lines},
                "wandb-summary.json": {"offset": 0, "content": self._lines[-1:]},
            }
        self._link.post(self._stream, {"files": files, **more})
        self._offset += len(self._lines)
        self._lines = []

    def finish(self) -> None:
        self._post(complete=True, exitcode=0)


def ask(link: Link, query: str, **variables: Any) -> Any:
    """Return the data of a GraphQL operation."""
    answer = link.post("/graphql", {"query": query, "variables": variables})
    if "errors" in answer:
        raise OSError(answer["errors"][0]["message"])
    return answer["data"]


class Bench(System):
    """Reads as a signed-in browser and as the SDK do."""

    packages = ("wandb",)
    plan = {
        "ingest": ("sqlite sdk", "sqlite raw", "postgres raw"),
        "many-runs": ("sqlite sdk", "sqlite raw", "postgres raw"),
        "chart-100k": ("sqlite", "postgres"),
        "chart-1m": ("sqlite", "postgres"),
        "table-1k": ("sqlite", "postgres"),
        "table-10k": ("sqlite", "postgres"),
        "client": ("sqlite sdk",),
        "start": ("sqlite", "postgres"),
    }
    load_mode = "raw"
    settle_s = 30.0  # the worker packs what was logged every 20 s

    @property
    def _env(self) -> dict[str, str]:
        database = f"postgres://postgres@127.0.0.1:{self.place.second_port}/postgres"
        return {
            "DJANGO_SETTINGS_MODULE": "config.settings.prod",
            "RUNYARD_HOME": str(self.data),
            "RUNYARD_PORT": str(self.place.port),
            "RUNYARD_URL": self.place.url,
            **({"RUNYARD_DATABASE_URL": database} if self.variant == "postgres" else {}),
        }

    def servers(self) -> list[Server]:
        """Return `manage.py serve`, and PostgreSQL if it is to use it."""
        from bench.peers.servers import postgres

        argv = [sys.executable, str(ROOT / "manage.py"), "serve"]
        own = Server("runyard", argv, self.place.port, "/ready", self._env, cwd=str(ROOT))
        return [postgres(self.data, self.place.second_port), own] if self.variant == "postgres" else [own]

    def begin(self) -> None:
        """Make a person once."""
        command = [
            sys.executable,
            str(ROOT / "manage.py"),
            "create_user",
            WHO,
            "--email",
            "bench@example.com",
        ]
        env = os.environ | self._env
        made = json.loads(subprocess.run(command, env=env, capture_output=True, check=True, cwd=ROOT).stdout)
        if made["created"]:
            self.place.secrets = {"key": made["api_key"], "password": made["password"]}

    def _keyed(self) -> Link:
        login = base64.b64encode(f"api:{self.place.secrets['key']}".encode()).decode()
        return Link(self.place.url, Authorization=f"Basic {login}")

    def link(self) -> Link:
        """Sign in as a browser does; the key is for GraphQL."""
        jar = http.cookiejar.CookieJar()
        browser = urllib.request.build_opener(urllib.request.HTTPCookieProcessor(jar))
        page = self.place.url + "/accounts/login/"
        token = re.findall(r'name="csrfmiddlewaretoken" value="(\w+)"', browser.open(page).read().decode())[0]
        form = {"login": WHO, "password": self.place.secrets["password"], "csrfmiddlewaretoken": token}
        browser.open(page, urllib.parse.urlencode(form).encode()).read()
        cookies = "; ".join(f"{cookie.name}={cookie.value}" for cookie in jar)
        login = base64.b64encode(f"api:{self.place.secrets['key']}".encode()).decode()
        return Link(self.place.url, Cookie=cookies, Authorization=f"Basic {login}")

    def writer(self, run: str, config: dict[str, str], mode: str, *, hardware: bool) -> Writer:
        if mode == "raw":
            return Raw(self._keyed(), run, config)
        self._log_in()
        return Sdk(self.place.folder, run, config, hardware=hardware, mode="online")

    def _log_in(self) -> None:
        os.environ |= {
            "WANDB_BASE_URL": self.place.url,
            "WANDB_API_KEY": self.place.secrets["key"],
            "WANDB_SILENT": "true",
        }

    def log_folder(self, folder: str) -> None:
        self._log_in()
        import wandb

        with wandb.init(project=PROJECT, settings=wandb.Settings(x_disable_stats=True)) as run:
            artifact = wandb.Artifact(ARTIFACT, type="dataset")
            artifact.add_dir(folder)
            run.log_artifact(artifact).wait()

    def fetch_folder(self, target: str) -> None:
        self._log_in()
        import wandb

        wandb.Api().artifact(f"{PROJECT}/{ARTIFACT}:latest").download(root=target)

    def count(self, link: Link, run: str, metric: str) -> int:
        """Read it from the list of keys."""
        keys = link.get(f"/{WHO}/{PROJECT}/runs/{run}/keys")["keys"]
        return next((int(key["count"]) for key in keys if key["key"] == metric), 0)

    def values(self, link: Link, run: str, names: list[str]) -> dict[str, list[float]]:
        """Read the whole history by GraphQL."""
        found = ask(link, HISTORY, project=PROJECT, entity=WHO, run=run)["project"]["run"]["history"]
        rows = [json.loads(line) for line in found]
        return {name: [row[name] for row in rows] for name in names}

    def charts(self, link: Link, run: str, metric: str) -> dict[str, Ask]:
        """Return what a run's page asks for, and more buckets; below 256 points a bucket all are exact."""
        path = f"/{WHO}/{PROJECT}/series?run={run}&keys={metric}"
        more = {f"{count:,} buckets": Ask(f"{path}&buckets={count}") for count in (1000, 10_000)}
        return {"run page (600 buckets)": Ask(f"{path}&buckets=600"), **more}

    def points(self, body: bytes) -> int:
        return sum(len(x) for x in json.loads(body)["x"])

    def tables(self, link: Link) -> dict[str, Ask]:
        """Return the SDK's query, with the columns of a table and with all its fields."""
        wanted = {"$and": [{"config.p00.value": "v3"}, {"summary_metrics.m00": {"$gt": 0.5}}]}
        variables = {
            "project": PROJECT,
            "entity": WHO,
            "order": "-summary_metrics.m01",
            "filters": json.dumps(wanted),
            "first": TABLE_ROWS,
        }
        fields = {"config and summary": TABLE, "api.runs(lazy=False)": WHOLE}
        return {
            name: Ask.json("/graphql", {"query": RUNS % columns, "variables": variables})
            for name, columns in fields.items()
        }

    def pages(self) -> dict[str, Ask]:
        """Return the project's page: its newest 50 runs."""
        return {"project page (50 newest)": Ask(f"/{WHO}/{PROJECT}", headers={"Accept": "text/html"})}

    def rows(self, body: bytes) -> list[str]:
        edges = json.loads(body)["data"]["project"]["runs"]["edges"]
        return [edge["node"]["name"] for edge in edges]
