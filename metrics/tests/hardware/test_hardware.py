"""The table of hardware: every tag of the documents finds its metric, and charts say what it is (AGT-4, RUN-26)."""

import json
import os
import subprocess
import sys

import pytest

from metrics.hardware.system_metrics import TABLE, chart_of, match_tag, table


def described(key):
    found = match_tag(key)
    chart = chart_of(found)
    return chart.section, chart.title, chart.unit, found.device, found.label


def test_the_table_is_the_agents():
    """AGT-4: `make schemas` wrote metrics/hardware/hardware.json from the agent's table, which the server doesn't
    import."""
    told = subprocess.run(
        [sys.executable, "-m", "runyard_agent", "metrics", "--json"],
        env=os.environ | {"PYTHONPATH": str(TABLE.parents[2] / "agent")},
        capture_output=True,
        text=True,
        check=True,
    )
    assert TABLE.read_text() == told.stdout, "run: make schemas"


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("cpu", ("CPU", "CPU", "%", "", "")),
        ("system.cpu.3.cpu_percent", ("CPU", "CPU core", "%", "3", "")),
        ("proc.cpu.threads", ("CPU", "Threads", "count", "", "")),
        ("disk./.usagePercent", ("Disk", "Disk used (%)", "%", "/", "")),
        ("system.disk./mnt/a.b c.usageGB", ("Disk", "Disk used (GiB)", "GiB", "/mnt/a.b c", "")),
        ("disk.in", ("Disk", "Disk read", "MiB", "", "")),
        ("disk.nvme0n1.out", ("Disk", "Disk written", "MiB", "nvme0n1", "")),
        ("proc.memory.rssMB", ("Memory", "Process memory (MiB)", "MiB", "", "")),
        ("proc.memory.percent", ("Memory", "Process memory (%)", "%", "", "")),
        ("memory_percent", ("Memory", "Memory", "%", "", "")),
        ("network.sent", ("Network", "Network sent", "bytes", "", "")),
        ("network.tcpRetransmits", ("Network", "TCP retransmits", "count", "", "")),
        ("gpu.7.gpu", ("GPU", "GPU use", "%", "GPU 7", "")),
        ("gpu.0.memory", ("GPU", "GPU memory access", "%", "GPU 0", "")),
        ("system.gpu.0.powerWatts/l:node-3", ("GPU", "GPU power (W)", "W", "GPU 0", "node-3")),
        ("gpu.12.smClock/l:a/b", ("GPU", "SM clock", "MHz", "GPU 12", "a/b")),
        ("gpu.process.1.temp", ("GPU of the process", "GPU temperature", "°C", "GPU 1", "")),
        ("gpu.0.mig.2.smActive", ("MIG instance", "SM active", "%", "GPU 0 · MIG 2", "")),
        ("gpu.0.memoryOverDrive", ("GPU", "Memory overdrive", "%", "GPU 0", "")),
        ("cpu.avg_temp", ("Apple silicon", "CPU temperature", "°C", "", "")),
        ("ipu.0.ipu power (W)", ("IPU", "IPU power", "W", "IPU 0", "")),
        ("ipu.0.link width", ("IPU", "IPU link width", "", "IPU 0", "")),
        ("tpu", ("TPU", "TPU use", "%", "", "")),
        ("tpu.3.dutyCycle", ("TPU", "TPU duty cycle", "%", "TPU 3", "")),
        ("trn.4.neuroncore_utilization", ("Trainium", "NeuronCore use", "%", "4", "")),
        ("trn.4.neuroncore_memory_usage.tensors", ("Trainium", "NeuronCore memory: tensors", "bytes", "4", "")),
        ("openmetrics.node.node_load1.0", ("OpenMetrics · node", "node: node_load1", "", "0", "")),
    ],
)  # fmt: skip
def test_a_documented_tag_finds_its_chart(key, expected):
    """RUN-26, hardware.md 1: section, title, unit, device and label of each kind of tag."""
    assert described(key) == expected
    assert match_tag(key).is_known


@pytest.mark.parametrize(
    ("alias", "tag"),
    [
        ("memory", "memory_percent"),
        ("disk./.usagePercen", "disk./.usagePercent"),
        ("gpu.2.uncorrectedMemoryErrors", "gpu.2.unCorrectedMemoryErrors"),
        ("gpu.process.2.uncorrectedMemoryErrors", "gpu.process.2.unCorrectedMemoryErrors"),
        ("ipu.1.speed (GT/s)", "ipu.1.link speed (GT/s)"),
        ("tpu.0.hbmMemoryUsage", "tpu.0.memoryUsage"),
        ("tpu.0.hbmCapacityUsage", "tpu.0.memoryUsageBytes"),
        ("trn.host_total_memory_usage.dma_buffers", "trn.host_memory_usage.dma_buffers"),
    ],
)
def test_an_alias_is_the_same_line(alias, tag):
    """Hardware.md 1: other spellings of a tag are one line of one chart."""
    assert match_tag(alias).tag == match_tag(tag).tag == tag
    assert chart_of(match_tag(alias)) == chart_of(match_tag(tag))


def test_devices_and_nodes_share_a_chart():
    """RUN-26: eight GPUs on eight nodes are lines of one chart; other endpoints have charts of their own."""
    keys = [f"system.gpu.{gpu}.gpu/l:node-{node}" for gpu in range(8) for node in range(8)]
    assert {chart_of(match_tag(key)).id for key in keys} == {"gpu.{gpu}.gpu"}
    assert chart_of(match_tag("disk.in")).id == chart_of(match_tag("disk.sda.in")).id
    endpoints = [chart_of(match_tag(f"openmetrics.{name}.up.0")).id for name in ("a", "b")]
    assert len(set(endpoints)) == 2


@pytest.mark.parametrize(
    ("key", "unit"),
    [
        ("network.sent", "bytes/s"),
        ("disk.sda.in", "MiB/s"),
        ("gpu.0.energyJoules", "W"),
        ("gpu.0.totalEnergyConsumption", "mW"),
        ("gpu.0.correctedMemoryErrors", "1/s"),
        ("gpu.0.pcieTxBytes", ""),
        ("cpu", ""),
    ],
)
def test_counters_have_the_unit_of_their_rate(key, unit):
    """Hardware.md 1: what only grows is offered as a rate."""
    assert chart_of(match_tag(key)).rate_unit == unit


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("system.xpu.3.power", ("XPU", "xpu.power", "", "3", "")),
        ("gpu.1.somethingNew/l:n", ("GPU", "gpu.somethingNew", "", "1", "n")),
        ("proc.io", ("CPU", "proc.io", "", "", "")),
        ("weird (%)", ("Other", "weird (%)", "", "", "")),
    ],
)
def test_unknown_tags_stay_readable(key, expected):
    """Hardware.md 12: the set of tags is open."""
    assert described(key) == expected
    assert not match_tag(key).is_known


def test_every_row_of_the_table_is_found_by_its_own_tag():
    """AGT-4: no pattern of the table hides another."""
    filled = {
        "gpu": "1",
        "core": "2",
        "mig": "3",
        "n": "4",
        "ipu": "5",
        "tpu": "6",
        "path": "/a",
        "device": "sda",
        "key": "x y",
        "endpoint": "node",
        "metric": "up",
    }
    for metric in table():
        tag = metric.tag.format(**filled)
        assert match_tag(tag).metric == metric, tag
        assert match_tag(f"system.{tag}/l:n").tag == tag


def test_gpus_come_first_in_the_order_people_look():
    """RUN-26: use, memory, power, temperature; then the rest, then CPU."""
    keys = [
        "cpu",
        "gpu.0.temp",
        "gpu.0.smClock",
        "gpu.0.gpu",
        "gpu.0.powerWatts",
        "gpu.0.memoryAllocated",
        "network.sent",
    ]
    charts = sorted((chart_of(match_tag(key)) for key in keys), key=lambda chart: (chart.rank, chart.order))
    assert [chart.title for chart in charts] == [
        "GPU use", "GPU memory allocated (%)", "GPU power (W)", "GPU temperature", "SM clock", "CPU", "Network sent",
    ]  # fmt: skip


def test_the_table_is_read_as_it_is_kept():
    """No row is lost on the way."""
    assert len(table()) == len(json.loads(TABLE.read_text()))
