"""AGT-7: the vendors' tools, as real executables on PATH."""

from __future__ import annotations

import json
import os
import time

import pytest
from recorded import until

import payloads
from runyard_agent.collecting import Absent, Failed
from runyard_agent.collectors.amd import Amd
from runyard_agent.collectors.apple import Apple
from runyard_agent.collectors.ipu import Ipu, parse
from runyard_agent.collectors.nvidia_smi import NvidiaSmi
from runyard_agent.collectors.tpu import Tpu, TpuProfiler, gauges, profiler_address, readings
from runyard_agent.collectors.trainium import Trainium
from runyard_agent.processes import ProcessTree
from runyard_agent.tools import Stream, json_in, run_tool

LIVE = {"sys/module/amdgpu/initstate": "live\n"}
MAC = ("Darwin", "arm64")


def started(collector):
    collector.start()
    return collector


def test_nvidia_smi(tool):
    """AGT-4: the command's table; [N/A] is left out."""
    smi = started(NvidiaSmi(binary=tool("nvidia-smi", payloads.NVIDIA_SMI)))
    reading = smi.collect()
    assert reading["gpu.0.gpu"] == 93
    assert reading["gpu.0.memory"] == 41
    assert reading["gpu.0.memoryAllocated"] == pytest.approx(83.4897, abs=1e-4)
    assert reading["gpu.0.memoryAllocatedBytes"] == 125864771584
    assert reading["gpu.0.powerPercent"] == pytest.approx(87.3457, abs=1e-4)
    assert reading["gpu.1.unCorrectedMemoryErrors"] == 0
    assert "gpu.0.fanSpeed" not in reading
    assert smi.facts()["gpu_nvidia"][1]["uuid"] == "GPU-22bb33cc-4455-6677-8899-aabbccddeeff"
    assert set(started(NvidiaSmi(binary=smi._binary, gpus=[1])).collect()) == {
        tag for tag in reading if tag.startswith("gpu.1.")
    }


def test_rocm_5(tool, tree):
    """AGT-4: rocm-smi of ROCm 5."""
    tool("rocm-smi", payloads.ROCM_5)
    assert started(Amd(root=tree(LIVE))).collect() == {
        "gpu.0.gpu": 37,
        "gpu.0.memoryAllocated": 12,
        "gpu.0.memoryOverDrive": 0,
        "gpu.0.temp": 44.0,
        "gpu.0.powerWatts": 142,
        "gpu.0.powerPercent": pytest.approx(47.3333, abs=1e-4),
    }


def test_rocm_6_after_a_warning(tool, tree):
    """AGT-4: rocm-smi of ROCm 6; "N/A (Secondary die)" and a limit of 0 are left out, not 0."""
    tool("rocm-smi", "WARNING: AMD GPU device(s) is/are in a low-power state [card0]\n" + payloads.ROCM_6)
    amd = started(Amd(root=tree(LIVE), source="rocm-smi"))
    reading = amd.collect()
    assert [reading[f"gpu.0.{name}"] for name in ("gpu", "memoryAllocated", "temp", "powerWatts")] == [
        88,
        71,
        46,
        512,
    ]
    assert reading["gpu.0.powerPercent"] == pytest.approx(68.2666, abs=1e-4)
    assert {tag: value for tag, value in reading.items() if tag.startswith("gpu.1.")} == {
        "gpu.1.gpu": 4,
        "gpu.1.memoryAllocated": 0,
        "gpu.1.temp": 43,
    }
    assert amd.facts()["gpu"] == "AMD Instinct MI300X"


@pytest.mark.parametrize("form", ["{}", '{{"gpu_data":{}}}'], ids=["ROCm 6", "ROCm 7"])
def test_amd_smi(tool, tree, form):
    """AGT-4: amd-smi; memory by VRAM bytes."""
    metric, limit = (
        form.format(payloads.AMD_SMI),
        form.format('[{"gpu":0,"limit":{"max_power":{"value":750,"unit":"W"}}}]'),
    )
    tool("amd-smi", script=f"case $1 in static) echo '{limit}';; *) cat <<'END'\n{metric}\nEND\n;; esac")
    reading = started(Amd(root=tree(LIVE))).collect()
    assert reading == {
        "gpu.0.gpu": 42,
        "gpu.0.memory": 9,
        "gpu.0.memoryAllocated": pytest.approx(71.0100, abs=1e-4),
        "gpu.0.memoryAllocatedBytes": 146381209600,
        "gpu.0.temp": 51,
        "gpu.0.powerWatts": 512,
        "gpu.0.powerPercent": pytest.approx(68.2666, abs=1e-4),
        "gpu.0.smClock": 1410,
        "gpu.0.graphicsClock": 1410,
        "gpu.0.memoryClock": 1300,
        "gpu.0.correctedMemoryErrors": 0,
        "gpu.0.unCorrectedMemoryErrors": 0,
    }


def test_amd_by_the_kernels_files(tool, tree):
    """AGT-4: /sys tells all; another vendor's card is no AMD GPU, and card numbers may have gaps."""
    card = "sys/class/drm/card1/device"
    files = {
        **LIVE,
        "sys/class/drm/card0/device/vendor": "0x102b\n",
        f"{card}/vendor": "0x1002\n",
        f"{card}/gpu_busy_percent": "42\n",
        f"{card}/mem_busy_percent": "9\n",
        f"{card}/mem_info_vram_total": "206158430208\n",
        f"{card}/mem_info_vram_used": "103079215104\n",
        f"{card}/pp_dpm_sclk": "0: 132Mhz\n1: 1410Mhz *\n2: 2100Mhz\n",
        f"{card}/ras/umc_err_count": "ue: 0\nce: 3\n",
        f"{card}/product_name": "AMD Instinct MI300X\n",
        f"{card}/hwmon/hwmon3/power1_average": "512000000\n",
        f"{card}/hwmon/hwmon3/power1_cap": "750000000\n",
        f"{card}/hwmon/hwmon3/temp2_label": "junction\n",
        f"{card}/hwmon/hwmon3/temp2_input": "58000\n",
        f"{card}/hwmon/hwmon3/temp3_label": "mem\n",
        f"{card}/hwmon/hwmon3/temp3_input": "51000\n",
    }
    tool("rocm-smi", script="echo must not run >&2; exit 1")
    amd = started(Amd(root=tree(files)))
    assert amd.collect() == {
        "gpu.0.gpu": 42,
        "gpu.0.memory": 9,
        "gpu.0.memoryAllocated": 50,
        "gpu.0.memoryAllocatedBytes": 103079215104,
        "gpu.0.temp": 51,
        "gpu.0.powerWatts": 512,
        "gpu.0.powerPercent": pytest.approx(68.2666, abs=1e-4),
        "gpu.0.smClock": 1410,
        "gpu.0.graphicsClock": 1410,
        "gpu.0.correctedMemoryErrors": 3,
        "gpu.0.unCorrectedMemoryErrors": 0,
    }
    assert amd.facts()["gpu_amd"][0]["name"] == "AMD Instinct MI300X"


@pytest.mark.parametrize(
    "output", ["", "Traceback", '{"card0": {"GPU use', "[1, 2]", '{"card0": 3}', "\x00\xff{"]
)
@pytest.mark.parametrize("source", ["rocm-smi", "amd-smi"])
def test_broken_output_is_a_failure_and_no_value(tool, tree, source, output):
    """AGT-4: what is no JSON of cards gives nothing, and says so."""
    tool(source, output)
    with pytest.raises(Failed):
        started(Amd(root=tree(LIVE), source=source)).collect()


APPLE: dict[str, tuple[str, dict[str, object]]] = {
    "apple_gpu_stats": (
        payloads.APPLE_GPU_STATS,
        {
            "gpu": 33,
            "memoryAllocated": 41.5,
            "temp": 46.1,
            "powerWatts": 4.2,
            "powerPercent": pytest.approx(25.4545, abs=1e-4),
        },
    ),
    "ioreg": (payloads.IOREG, {"gpu": 61, "memoryAllocatedBytes": 3221225472}),
    "powermetrics": (payloads.POWERMETRICS, {"gpu": 63.10, "freq": 712, "powerWatts": 8.4}),
}


@pytest.mark.parametrize("source", APPLE)
def test_apple_by_a_tool_that_answers_once(tool, source):
    """AGT-4: Apple silicon."""
    output, expected = APPLE[source]
    apple = started(Apple(machine=MAC, source=source, binary=tool(source, output), root_user=True))
    assert apple.collect() == {f"gpu.0.{name}": value for name, value in expected.items()}


def test_macmon_keeps_running(tool):
    """AGT-4: a stream's newest line counts; 0 of 0 swap is left out."""
    tool("macmon", script=f"echo '{payloads.MACMON}'; sleep 60")
    apple = started(Apple(machine=MAC))
    try:
        reading = until(apple.collect)
    finally:
        apple.close()
    assert reading["gpu.0.gpu"] == 63
    assert reading["gpu.0.powerWatts"] == 8.4
    assert reading["gpu.0.temp"] == 44.8
    assert reading["gpu.0.memoryAllocated"] == 62.5
    assert reading["system.powerWatts"] == 19.8
    assert "swap.used_percent" not in reading


def test_other_machines_are_no_macs():
    """AGT-4: absent costs nothing."""
    with pytest.raises(Absent):
        Apple(machine=("Linux", "x86_64")).start()


class Gcipuinfo:
    """As the driver's library is used."""

    def gcipuinfo(self):
        return self

    def setUpdateMode(self, on):
        assert on

    def getDevices(self):
        return payloads.IPU


class Watched(ProcessTree):
    """Processes that need not exist."""

    def __init__(self, pids: set[int]) -> None:
        super().__init__(os.getpid())
        self._pids = pids

    def pids(self):
        return self._pids


def test_ipu_sends_what_varies_and_the_rest_once():
    """AGT-4: only devices of our process; units move into the key."""
    ipu = started(Ipu(library=Gcipuinfo(), tree=Watched({4711})))
    first, second = ipu.collect(), ipu.collect()
    assert first["ipu.0.average board temp (C)"] == 27.1
    assert first["ipu.0.clock (MHz)"] == 1330
    assert first["ipu.0.ipu utilisation (%)"] == 63.25
    assert first["ipu.0.link speed (GT/s)"] == 16
    assert not any(tag.startswith("ipu.1.") for tag in first)
    assert sorted(second) == [
        "ipu.0.average board temp (C)",
        "ipu.0.average die temp (C)",
        "ipu.0.clock (MHz)",
        "ipu.0.ipu power (W)",
        "ipu.0.ipu utilisation (%)",
        "ipu.0.ipu utilisation (session) (%)",
    ]
    assert parse("ipu power", "N/A") is None


def test_tpu_messages_as_the_service_writes_them():
    """AGT-4: bytes recorded from a gRPC server of the service's own definition."""
    assert gauges(payloads.TPU_USAGE) == {0: 8589934592, 1: 4294967296}
    total = dict.fromkeys((0, 1), 17179869184.0)
    names = ("memory.usage.bytes", "memory.total.bytes")
    values = {
        f"tpu.runtime.hbm.{name}": each for name, each in zip(names, (gauges(payloads.TPU_USAGE), total))
    }
    values["tpu.runtime.tensorcore.dutycycle.percent"] = {0: 97.5}
    assert readings(values, 2) == {
        "tpu.0.memoryUsageBytes": 8589934592,
        "tpu.0.memoryUsage": 50,
        "tpu.1.memoryUsageBytes": 4294967296,
        "tpu.1.memoryUsage": 25,
        "tpu.0.dutyCycle": 97.5,
        "tpu.1.dutyCycle": 97.5,
    }


@pytest.mark.parametrize("cut", range(1, len(payloads.TPU_USAGE), 7))
def test_tpu_message_cut_off_is_a_failure(cut):
    """AGT-4: half a message never becomes a value."""
    with pytest.raises(Failed):
        gauges(payloads.TPU_USAGE[:cut])


def test_tpu_is_found_on_the_bus(tree):
    """AGT-4: by PCI vendor and device; the subsystem tells v2 from v3."""
    chip = "sys/bus/pci/devices/0000:00:04.0"
    root = tree(
        {f"{chip}/vendor": "0x1ae0\n", f"{chip}/device": "0x0027\n", f"{chip}/subsystem_device": "0x004f\n"}
    )
    tpu = started(Tpu(root=root, address="127.0.0.1:1", timeout_s=1))
    assert tpu.facts() == {"tpu": {"name": "v3", "hbm_gib": 16, "devices_per_chip": 2, "count": 1}}
    assert tpu.collect() == {}, "no program uses it now"
    with pytest.raises(Absent):
        Tpu(root=root / "proc").start()


def test_tpu_profiler():
    """AGT-4: the series ``tpu`` of network TPUs."""
    asked = []

    def monitor(address, **options):
        asked.append((address, options))
        return payloads.TPU_PROFILE

    profiler = started(TpuProfiler(monitor=monitor, environment={"TPU_NAME": "grpc://10.0.0.2:8470"}))
    assert profiler.collect() == {"tpu": 34.567}
    assert asked == [("10.0.0.2:8466", {"duration_ms": 100, "level": 2})]
    named = {"TPU_NAME": "mine", "CLOUDSDK_COMPUTE_ZONE": "eu", "CLOUDSDK_CORE_PROJECT": "p"}
    assert profiler_address(named, lambda *given: f"grpc://{'.'.join(given)}:8470") == "mine.eu.p:8466"


def neuron(tool, **options):
    tool("neuron-monitor", script=f"cat > /dev/null < $2; cat <<'END'\n{payloads.NEURON}\nEND\nsleep 60")
    return started(Trainium(**options))


@pytest.mark.parametrize(
    ("options", "cores"),
    [
        ({"tree": Watched({4711})}, {"0", "1"}),
        ({}, {"0", "1"}),
        ({"tree": Watched({1}), "local_rank": 0}, {"0"}),
    ],
    ids=["ours", "all", "torchrun"],
)
def test_trainium(tool, options, cores):
    """AGT-4: neuron-monitor's stream; under torchrun just our core."""
    trainium = neuron(tool, **options)
    try:
        reading = until(trainium.collect)
        assert trainium.facts()["trainium"]["name"] == "trn1.2xlarge"
    finally:
        trainium.close()
    assert reading["trn.0.neuroncore_utilization"] == 71.5
    assert reading["trn.0.neuroncore_memory_usage.model_code"] == 98000000
    assert reading["trn.host_total_memory_usage"] == 600000000
    assert reading["trn.host_memory_usage.dma_buffers"] == 2000000
    assert {tag.split(".")[1] for tag in reading if tag.endswith("utilization")} == cores


def test_trainium_of_somebody_else(tool):
    """AGT-4: another process's runtime is not ours."""
    trainium = neuron(tool, tree=Watched({1}))
    try:
        assert until(lambda: trainium._stream.latest())
        assert trainium.collect() == {}
    finally:
        trainium.close()


def test_a_stream_that_dies_midway_says_so(tool):
    """AGT-7: a tool that dies midway."""
    stream = Stream([tool("monitor", script="echo one; exit 3")], max_age_s=5)
    try:
        until(lambda: stream._process.poll() is not None)
        with pytest.raises(Failed, match="ended with code 3"):
            stream.latest()
    finally:
        stream.close()


def test_a_stream_that_falls_silent_is_not_believed(tool):
    """AGT-7: an old line is no sample of now."""
    moment = [0.0]
    stream = Stream([tool("monitor", script="echo one; sleep 60")], max_age_s=5, clock=lambda: moment[0])
    try:
        assert until(stream.latest) == "one\n"
        moment[0] = 6.0
        with pytest.raises(Failed, match="nothing for 5 s"):
            stream.latest()
    finally:
        stream.close()


def test_a_tool_that_hangs_is_killed_with_its_children(tool):
    """AGT-7: a hanging tool, whose child holds its output open."""
    begun = time.monotonic()
    with pytest.raises(Failed, match="no answer in 0.2 s"):
        run_tool([tool("hangs", script="sleep 60 & sleep 60")], 0.2)
    assert time.monotonic() - begun < 30


@pytest.mark.parametrize(
    ("script", "message"),
    [("echo no device >&2; exit 9", "code 9: no device"), ("kill -9 $$", "code -9")],
)
def test_a_tool_that_fails_is_quoted(tool, script, message):
    """AGT-4: doctor says why a collector does not work."""
    with pytest.raises(Failed, match=message):
        run_tool([tool("fails", script=script)], 5)
    with pytest.raises(Failed, match="can't be started"):
        run_tool(["/nonexistent/tool"], 5)


def test_json_is_found_behind_warnings():
    """AGT-4: ROCm prints warnings before its JSON."""
    assert json_in('[WARN] {"not": closed\n{"a": 1}') == {"a": 1}
    assert json.dumps(json_in('text [{"a": 1}] more')) == '[{"a": 1}]'
