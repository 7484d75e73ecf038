"""AGT-4: the command line, as a person runs it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from runyard_agent import metrics
from runyard_agent.cli import COMMANDS
from runyard_agent.settings import SETTINGS
from runyard_agent.words import with_unit

REPOSITORY = Path(__file__).parents[2]


def test_sample_prints_a_row_and_imports_nothing_of_the_server(run, tmp_path):
    """AGT-4: one sample as JSON; here nothing of the server can be imported at all."""
    done = run("sample", "--json", "--label", "n1", "--pid", str(os.getpid()))
    row = json.loads(done.stdout)
    assert done.returncode == 0
    assert not done.stderr
    assert row["_runtime"] > 0.4
    assert {"system.cpu/l:n1", "system.proc.memory.rssMB/l:n1", "system.disk./.usageGB/l:n1"} <= set(row)
    assert all(metrics.describe(tag) for tag in row if not tag.startswith("_"))


def test_sample_in_words_and_top_without_color(run):
    """AGT-9: a frame fits the terminal, and NO_COLOR is obeyed."""
    assert " GiB" in run("sample").stdout
    top = run("top", "--once", NO_COLOR="1", COLUMNS="50")
    assert top.returncode == 0, top.stderr
    assert "Network" in top.stdout
    assert "\x1b[3" not in top.stdout
    assert max(map(len, top.stdout.splitlines())) <= 50


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["sample", "--interval", "never"], "--interval: 'never' can't be used"),
        (["sample", "--pid", "999999999"], "process 999999999 does not exist"),
        (["doctor", "--without", "gpu9"], "unknown collectors: gpu9"),
        (["config", "--config", "/nonexistent"], "does not exist"),
        (["nonsense"], "invalid choice"),
        (["host", "--sigterm-after", "5"], "--sigterm-after does not apply to this command"),
        (["sync", "--interval=5"], "--interval does not apply to this command"),
        (["run", "--pid", "7", "--", "true"], "--pid does not apply to this command"),
        (["top", "--nonsense"], "unrecognized arguments: --nonsense"),
    ],
)
def test_wrong_usage_ends_with_2_and_one_sentence(run, arguments, message):
    """AGT-4: no stack traces for user errors."""
    done = run(*arguments)
    assert done.returncode == 2
    assert message in done.stderr
    assert "Traceback" not in done.stderr


def test_config_shows_where_each_value_comes_from(run):
    """AGT-4: secrets masked."""
    done = run("config", "--json", "--interval", "5", RUNYARD_API_KEY="ry-secret", RUNYARD_LABEL="x")
    shown = json.loads(done.stdout)
    assert shown["interval"] == {"value": 5.0, "from": "--interval"}
    assert shown["label"] == {"value": "x", "from": "RUNYARD_LABEL"}
    assert "ry-secret" not in done.stdout + run("config", RUNYARD_API_KEY="ry-secret").stdout


@pytest.mark.parametrize("command", [[], *([name] for name in COMMANDS)])
def test_help_has_examples_and_exit_codes(run, command):
    """AGT-4: conventions of the command line."""
    done = run(*command, "--help")
    assert done.returncode == 0
    assert "examples:" in done.stdout
    assert "exit codes:" in done.stdout


def test_help_shows_the_settings_of_the_command_alone(run):
    """Usability 3 of the review: every command repeated all of them."""
    shown = {name: run(name, "--help").stdout for name in COMMANDS}
    assert len(shown["run"].splitlines()) < 80
    assert "--sigterm-after" in shown["run"]
    assert "--sigterm-after" not in shown["host"] + shown["attach"] + shown["sync"]
    assert "--entity" not in shown["sample"]
    assert "--openmetrics" not in shown["sync"]
    for setting in SETTINGS:
        assert (f"{setting.flag} " in shown["config"]) is not setting.secret, setting.name


def test_the_page_of_metrics_is_current(run):
    """AGT-4: docs/use/agent-metrics.md is made of the table."""
    page = (REPOSITORY / "docs/use/agent-metrics.md").read_text()
    assert run("metrics", "--markdown").stdout == page, (
        "run: runyard-agent metrics --markdown > docs/use/agent-metrics.md"
    )


def test_the_table_knows_every_documented_tag():
    """AGT-4: as hardware.md lists them, with its aliases."""
    expected = {
        "system.cpu": ("%", "CPU"),
        "memory": ("%", "Memory"),
        "disk./mnt/data.v2.usagePercent": ("%", "Disk /mnt/data.v2 used"),
        "disk.nvme0n1.in": ("MiB", "Disk nvme0n1 read"),
        "gpu.7.uncorrectedMemoryErrors": ("count", "Uncorrected memory errors"),
        "gpu.process.0.smClock": ("MHz", "SM clock"),
        "system.system.powerWatts": ("W", "Machine power"),
        "ipu.0.speed (GT/s)": ("GT/s", "IPU link speed"),
        "ipu.0.numa node": ("", "IPU numa node"),
        "tpu.3.hbmMemoryUsage": ("%", "TPU memory"),
        "trn.host_total_memory_usage.tensors": ("bytes", "Host memory: tensors"),
        "openmetrics.node.exporter.node_load1.0": ("", "node.exporter: node_load1"),
    }
    for tag, (unit, title) in expected.items():
        found = metrics.describe(tag)
        assert found, tag
        assert (found.metric.unit, metrics.title_of(found)) == (unit, title)
    assert metrics.describe("loss") is None
    tags = [metric.tag for metric in metrics.METRICS]
    assert len(tags) == len(set(tags))


@pytest.mark.parametrize(
    ("value", "unit", "expected"),
    [
        (125864771584, "bytes", "117.2 GiB"),
        (0.5, "MiB", "512 KiB"),
        (1536, "MiB", "1.5 GiB"),
        (0, "bytes", "0 B"),
        (2048, "bytes/s", "2 KiB/s"),
        (61.25, "%", "61.2 %"),
        (7, "count", "7"),
        (58, "°C", "58 °C"),
    ],
)
def test_numbers_with_units(value, unit, expected):
    """AGT-9: short and exact enough."""
    assert with_unit(value, unit) == expected
