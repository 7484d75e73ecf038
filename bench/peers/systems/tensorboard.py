"""TensorBoard: tensorboardX writes event files, `tensorboard` reads them; nothing is sent over HTTP."""

import json

from bench.peers.data import METRICS, PARAMS, TABLE_ROWS
from bench.peers.link import Ask, Link
from bench.peers.system import Server, System, Writer

BOUNDARY = "runyard"


class Files:
    """One event file."""

    def __init__(self, folder: str, config: dict[str, str]) -> None:
        from tensorboardX import SummaryWriter

        self._writer = SummaryWriter(folder)
        self._config = config

    def log(self, values: dict[str, float], step: int) -> None:
        """Log one step; the configuration with the first, since its plug-in wants to know the metrics."""
        if self._config:
            from tensorboardX.summary import hparams

            for summary in hparams(self._config, values):
                self._writer.file_writer.add_summary(summary)
            self._config = {}
        for key, value in values.items():
            self._writer.add_scalar(key, value, step)

    def finish(self) -> None:
        self._writer.close()


class Bench(System):
    """Reads what its pages ask for; "all" keeps every point, where the default is a sample of 1,000."""

    packages = ("tensorboard", "tensorboardX")
    plan = {
        **dict.fromkeys(("ingest", "many-runs", "client"), ("all files",)),
        "chart-100k": ("all", "default"),
        **dict.fromkeys(("chart-1m", "table-1k", "table-10k", "start"), ("default",)),
    }
    tolerance = 1e-6  # it keeps 32 bits

    def servers(self) -> list[Server]:
        """Return its server; 0, the documented way to keep all, gives empty series in 2.21."""
        keep = ["--samples_per_plugin", "scalars=100000000"] if self.variant == "all" else []
        address = ["--host", "127.0.0.1", "--port", str(self.place.port)]
        argv = [self.program("tensorboard"), "--logdir", str(self.data), *address, *keep]
        return [Server("tensorboard", argv, self.place.port, "/")]

    def writer(self, run: str, config: dict[str, str], mode: str, *, hardware: bool) -> Writer:
        return Files(str(self.data / run), config)

    def count(self, link: Link, run: str, metric: str) -> int:
        """Read the series; a run it has not seen yet is no error."""
        try:
            return super().count(link, run, metric)
        except (OSError, KeyError, ValueError):
            return 0

    def values(self, link: Link, run: str, names: list[str]) -> dict[str, list[float]]:
        found = {}
        for name in names:
            [answer] = json.loads(link.send(self._series(name)).body)
            found[name] = [point["value"] for point in answer["runToSeries"][run]]
        return found

    def _series(self, metric: str) -> Ask:
        asked = json.dumps([{"plugin": "scalars", "tag": metric}])
        head = f'--{BOUNDARY}\r\nContent-Disposition: form-data; name="requests"\r\n\r\n'
        content = {"Content-Type": f"multipart/form-data; boundary={BOUNDARY}"}
        return Ask(
            "/data/plugin/timeseries/timeSeries", f"{head}{asked}\r\n--{BOUNDARY}--\r\n".encode(), content
        )

    def charts(self, link: Link, run: str, metric: str) -> dict[str, Ask]:
        """Return the page's request."""
        return {
            "page (1,000 of all)" if self.variant == "default" else "page (all points)": self._series(metric)
        }

    def points(self, body: bytes) -> int:
        return sum(len(series) for series in json.loads(body)[0]["runToSeries"].values())

    def tables(self, link: Link) -> dict[str, Ask]:
        """Return the query of its plug-in for hyperparameters."""
        columns: list[dict[str, object]] = [{"hparam": f"p{key:02d}"} for key in range(PARAMS)]
        columns[0]["filterDiscrete"] = ["v3"]
        metrics: list[dict[str, object]] = [
            {"metric": {"tag": f"m{key:02d}", "group": ""}} for key in range(METRICS)
        ]
        metrics[0]["filterInterval"] = {"minValue": 0.5, "maxValue": 2.0}
        metrics[1]["order"] = "ORDER_DESC"
        states = [f"STATUS_{state}" for state in ("UNKNOWN", "SUCCESS", "FAILURE", "RUNNING")]
        query = {
            "experimentName": "",
            "colParams": columns + metrics,
            "startIndex": 0,
            "sliceSize": TABLE_ROWS,
        }
        return {
            "hyperparameters": Ask.json(
                "/data/plugin/hparams/session_groups", query | {"allowedStatuses": states}
            )
        }

    def rows(self, body: bytes) -> list[str]:
        return [group["name"] for group in json.loads(body)["sessionGroups"]]
