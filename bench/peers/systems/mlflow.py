"""MLflow's tracking server. Clients: its SDK (synchronous by default, or asynchronous), and bare log-batch posts."""

import json
import os
import time
import urllib.parse
from typing import Any

from bench.peers.data import TABLE_ROWS
from bench.peers.link import Ask, Link
from bench.peers.system import Place, Server, System, Writer

PROJECT = "bench"
VALUES_A_POST = 1000
"""The most that its API takes."""
API, PAGE_API = "/api/2.0/mlflow", "/ajax-api/2.0/mlflow"
QUIET = {"MLFLOW_DISABLE_TELEMETRY": "true", "DO_NOT_TRACK": "true"}


class Sdk:
    """Its SDK, as a script uses it."""

    def __init__(self, place: Place, run: str, config: dict[str, str], *, mode: str, hardware: bool) -> None:
        os.environ |= QUIET
        import mlflow

        self._mlflow, self._synchronous = mlflow, mode == "sdk"
        self._sent: list[Any] = []
        mlflow.set_tracking_uri(place.url)
        mlflow.set_experiment(PROJECT)
        mlflow.start_run(run_name=run, log_system_metrics=hardware)
        mlflow.log_params(config)

    def log(self, values: dict[str, float], step: int) -> None:
        sent = self._mlflow.log_metrics(values, step=step, synchronous=self._synchronous)
        if not self._synchronous:
            self._sent.append(sent)

    def finish(self) -> None:
        for sent in self._sent:
            sent.wait()
        self._mlflow.end_run()


class Raw:
    """Posts of a thousand values, one after the other."""

    def __init__(self, link: Link, run: str, config: dict[str, str]) -> None:
        self._link = link
        body = {"experiment_id": experiment(link), "run_name": run, "start_time": _now()}
        self._id = link.post(f"{API}/runs/create", body)["run"]["info"]["run_id"]
        self._values: list[dict[str, Any]] = []
        if config:
            params = [{"key": key, "value": value} for key, value in config.items()]
            link.post(f"{API}/runs/log-batch", {"run_id": self._id, "params": params})

    def log(self, values: dict[str, float], step: int) -> None:
        now = _now()
        self._values += [
            {"key": key, "value": value, "timestamp": now, "step": step} for key, value in values.items()
        ]
        if len(self._values) >= VALUES_A_POST:
            self._post()

    def _post(self) -> None:
        self._link.post(f"{API}/runs/log-batch", {"run_id": self._id, "metrics": self._values})
        self._values = []

    def finish(self) -> None:
        self._post()
        self._link.post(f"{API}/runs/update", {"run_id": self._id, "status": "FINISHED", "end_time": _now()})


def _now() -> int:
    return int(time.time() * 1000)


def experiment(link: Link) -> str:
    """Return the experiment's id."""
    path = f"{API}/experiments/get-by-name?experiment_name={PROJECT}"
    return str(link.get(path)["experiment"]["experiment_id"])


class Bench(System):
    """Reads what its pages ask for."""

    packages = ("mlflow", "sqlalchemy", "psycopg2-binary")
    plan = {
        "ingest": ("sqlite sdk", "sqlite async", "sqlite raw", "postgres raw"),
        "many-runs": ("sqlite raw", "postgres raw"),
        "chart-100k": ("sqlite", "postgres"),
        "chart-1m": ("sqlite",),
        "table-1k": ("sqlite", "postgres"),
        "table-10k": ("sqlite",),
        "client": ("sqlite sdk", "sqlite async"),
        "start": ("sqlite",),
    }
    load_mode = "raw"

    def servers(self) -> list[Server]:
        """Return its server with default settings, and PostgreSQL if it is to use it."""
        from bench.peers.servers import postgres

        store = f"sqlite:///{self.data}/mlflow.db"
        if self.variant == "postgres":
            store = f"postgresql+psycopg2://postgres@127.0.0.1:{self.place.second_port}/postgres"
        where = ["--backend-store-uri", store, "--artifacts-destination", str(self.data / "artifacts")]
        address = ["--host", "127.0.0.1", "--port", str(self.place.port)]
        env = QUIET | {"PATH": f"{self.python().parent}{os.pathsep}{os.environ.get('PATH', os.defpath)}"}
        own = Server(
            "mlflow", [self.program("mlflow"), "server", *where, *address], self.place.port, "/", env
        )
        return [postgres(self.data, self.place.second_port), own] if self.variant == "postgres" else [own]

    def begin(self) -> None:
        """Make the experiment once."""
        link = self.link()
        try:
            experiment(link)
        except OSError:
            link.post(f"{API}/experiments/create", {"name": PROJECT})

    def writer(self, run: str, config: dict[str, str], mode: str, *, hardware: bool) -> Writer:
        if mode == "raw":
            return Raw(self.link(), run, config)
        return Sdk(self.place, run, config, mode=mode, hardware=hardware)

    def log_folder(self, folder: str) -> None:
        os.environ |= QUIET
        import mlflow

        mlflow.set_tracking_uri(self.place.url)
        mlflow.set_experiment(PROJECT)
        with mlflow.start_run():
            mlflow.log_artifacts(folder)

    def fetch_folder(self, target: str) -> None:
        os.environ |= QUIET
        import mlflow

        mlflow.set_tracking_uri(self.place.url)
        [run] = mlflow.search_runs(experiment_names=[PROJECT], max_results=1, output_format="list")
        mlflow.artifacts.download_artifacts(run_id=run.info.run_id, dst_path=target)

    def _id(self, link: Link, run: str) -> str:
        named = {
            "experiment_ids": [experiment(link)],
            "filter": f"attributes.run_name = '{run}'",
            "max_results": 1,
        }
        return str(link.post(f"{API}/runs/search", named)["runs"][0]["info"]["run_id"])

    def values(self, link: Link, run: str, names: list[str]) -> dict[str, list[float]]:
        """Read them metric by metric, in pages of the largest size."""
        key = self._id(link, run)
        return {name: self._history(link, key, name) for name in names}

    def _history(self, link: Link, key: str, name: str) -> list[float]:
        query = {"run_id": key, "metric_key": name, "max_results": "25000"}
        points: list[tuple[int, float]] = []
        while True:
            page = link.get(f"{API}/metrics/get-history?{urllib.parse.urlencode(query)}")
            points += [(point["step"], point["value"]) for point in page.get("metrics", [])]
            if not page.get("next_page_token"):
                return [value for _, value in sorted(points)]
            query["page_token"] = page["next_page_token"]

    def charts(self, link: Link, run: str, metric: str) -> dict[str, Ask]:
        """Return the run page's request."""
        query = f"max_results=320&metric_key={metric}&run_ids={self._id(link, run)}"
        return {"run page (320 points)": Ask(f"{PAGE_API}/metrics/get-history-bulk-interval?{query}")}

    def points(self, body: bytes) -> int:
        return len(json.loads(body)["metrics"])

    def tables(self, link: Link) -> dict[str, Ask]:
        """Return the query of its page of runs."""
        query = {
            "experiment_ids": [experiment(link)],
            "filter": "params.`p00` = 'v3' and metrics.`m00` > 0.5",
            "order_by": ["metrics.`m01` DESC"],
            "max_results": TABLE_ROWS,
            "run_view_type": "ACTIVE_ONLY",
        }
        return {"page of runs": Ask.json(f"{PAGE_API}/runs/search", query)}

    def rows(self, body: bytes) -> list[str]:
        return [run["info"]["run_name"] for run in json.loads(body)["runs"]]
