"""Trackio's own server (`trackio show`). Clients: its SDK, and bare posts to its bulk_log."""

import json
import os
import uuid
from typing import Any

from bench.peers.data import TABLE_ROWS
from bench.peers.link import Ask, Link
from bench.peers.system import Place, Server, System, Writer

PROJECT = "bench"
ARTIFACT = "files"
TOKEN = "bench-token"  # noqa: S105 - of a server that lives for a minute
VALUES_A_POST = 4000

TABLE = f"""
SELECT m.run_name, json_extract(m.metrics, '$.m01') AS m01, m.metrics, c.config
FROM metrics m JOIN configs c USING (run_id)
WHERE m.id IN (SELECT max(id) FROM metrics GROUP BY run_id)
  AND json_extract(c.config, '$.p00') = 'v3' AND json_extract(m.metrics, '$.m00') > 0.5
ORDER BY m01 DESC LIMIT {TABLE_ROWS}"""  # noqa: S608 - no value of anybody's


class Sdk:
    """Its SDK, as a script uses it."""

    def __init__(self, place: Place, run: str, config: dict[str, str], *, hardware: bool) -> None:
        os.environ |= {
            "TRACKIO_WRITE_TOKEN": TOKEN,
            "HF_HUB_OFFLINE": "1",
            "TRACKIO_DIR": place.folder + "/client",
        }
        import trackio

        self._trackio = trackio
        quiet = {"auto_log_cpu": hardware, "auto_log_gpu": False, "embed": False}
        trackio.init(project=PROJECT, name=run, config=config, server_url=place.url, **quiet)

    def log(self, values: dict[str, float], step: int) -> None:
        self._trackio.log(values, step=step)

    def finish(self) -> None:
        self._trackio.finish()


class Raw:
    """Posts of many rows, one after the other."""

    def __init__(self, link: Link, run: str, config: dict[str, str]) -> None:
        self._link, self._config = link, config or None
        self._about = {"project": PROJECT, "run": run, "run_id": uuid.uuid4().hex}
        self._rows: list[dict[str, Any]] = []

    def log(self, values: dict[str, float], step: int) -> None:
        self._rows.append({**self._about, "metrics": values, "step": step, "config": self._config})
        self._config = None
        if len(self._rows) * len(values) >= VALUES_A_POST:
            self.finish()

    def finish(self) -> None:
        if self._rows:
            call(self._link, "bulk_log", logs=self._rows, hf_token=None)
        self._rows = []


def request(name: str, **arguments: Any) -> Ask:
    """Return a call of its API."""
    return Ask.json(f"/api/{name}", {"args": [], "kwargs": arguments})


def call(link: Link, name: str, **arguments: Any) -> Any:
    """Return what a call of its API answers."""
    answer = json.loads(link.send(request(name, **arguments)).body)
    if answer.get("error"):
        raise OSError(answer["error"])
    return answer.get("data")


class Bench(System):
    """Reads what its pages and its command line ask for."""

    packages = ("trackio",)
    plan = {
        **dict.fromkeys(("ingest", "many-runs"), (" sdk", " raw")),
        **dict.fromkeys(("chart-100k", "chart-1m", "table-1k", "table-10k", "start"), ("",)),
        "client": (" sdk",),
    }
    load_mode = "raw"

    def servers(self) -> list[Server]:
        env = {
            "TRACKIO_DIR": str(self.data),
            "TRACKIO_WRITE_TOKEN": TOKEN,
            "GRADIO_SERVER_PORT": str(self.place.port),
            "GRADIO_ANALYTICS_ENABLED": "False",
            "HF_HUB_OFFLINE": "1",
            "BROWSER": "true",
        }
        return [
            Server(
                "trackio", [self.program("trackio"), "show", "--host", "127.0.0.1"], self.place.port, "/", env
            )
        ]

    def link(self) -> Link:
        return Link(self.place.url, **{"x-trackio-write-token": TOKEN})

    def writer(self, run: str, config: dict[str, str], mode: str, *, hardware: bool) -> Writer:
        return (
            Raw(self.link(), run, config)
            if mode == "raw"
            else Sdk(self.place, run, config, hardware=hardware)
        )

    def _begin(self, folder: str) -> Any:
        os.environ |= {"TRACKIO_WRITE_TOKEN": TOKEN, "HF_HUB_OFFLINE": "1", "TRACKIO_DIR": folder}
        import trackio

        quiet = {"auto_log_cpu": False, "auto_log_gpu": False, "embed": False}
        trackio.init(project=PROJECT, server_url=self.place.url, **quiet)
        return trackio

    def log_folder(self, folder: str) -> None:
        trackio = self._begin(self.place.folder + "/client")
        trackio.log_artifact(folder, name=ARTIFACT, type="dataset")
        trackio.finish()

    def fetch_folder(self, target: str) -> None:
        trackio = self._begin(self.place.folder + "/reader")
        trackio.use_artifact(ARTIFACT).download(target)
        trackio.finish()

    def values(self, link: Link, run: str, names: list[str]) -> dict[str, list[float]]:
        found = {}
        for name in names:
            points = call(link, "get_metric_values", project=PROJECT, run=run, metric_name=name)
            found[name] = [point["value"] for point in sorted(points, key=lambda point: point["step"])]
        return found

    def charts(self, link: Link, run: str, metric: str) -> dict[str, Ask]:
        """Return the run page's request: all metrics of the run, at most 3,000 rows."""
        runs = [{"run": run, "run_id": None}]
        return {
            "run page (all metrics)": request("get_logs_batch", project=PROJECT, runs=runs, scalar_only=True)
        }

    def points(self, body: bytes) -> int:
        return len(json.loads(body)["data"][0]["logs"])

    def tables(self, link: Link) -> dict[str, Ask]:
        """Return SQL, as its command line sends it; its page of runs has no column of metrics."""
        return {"SQL endpoint": request("query_project", project=PROJECT, query=TABLE)}

    def rows(self, body: bytes) -> list[str]:
        return [row["run_name"] for row in json.loads(body)["data"]["rows"]]
