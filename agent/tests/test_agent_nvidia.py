"""AGT-4, AGT-7: NVIDIA's library, by a stand-in with its functions and errors."""

from __future__ import annotations

import os

import pynvml
import pytest

from nvml import GIB, Nvml
from runyard_agent.collecting import Absent, Failed
from runyard_agent.collectors.nvidia import Nvidia
from runyard_agent.metrics import describe
from runyard_agent.processes import ProcessTree


def started(nvml, **options):
    nvidia = Nvidia(nvml=nvml, **options)
    nvidia.start()
    return nvidia


def test_every_documented_metric_of_a_gpu():
    """AGT-4: tags, formulas and units of hardware.md; what a device refuses is left out."""
    reading = started(Nvml()).collect()
    first = {tag[len("gpu.0.") :]: value for tag, value in reading.items() if tag.startswith("gpu.0.")}
    assert first == {
        "gpu": 93,
        "memory": 41,
        "memoryAllocated": 50,
        "memoryAllocatedBytes": 70 * GIB,
        "temp": 58,
        "powerWatts": 611.42,
        "enforcedPowerLimitWatts": 700,
        "powerPercent": pytest.approx(87.3457, abs=1e-4),
        "smClock": 1830,
        "memoryClock": 3201,
        "graphicsClock": 1820,
        "correctedMemoryErrors": 5,
        "unCorrectedMemoryErrors": 0,
        "encoderUtilization": 12,
        "energyJoules": 5,
    }
    assert reading["gpu.1.gpu"] == 92
    assert "gpu.1.powerWatts" not in reading
    assert all(describe(tag) for tag in reading)


def test_what_a_device_refuses_is_asked_again_after_ten_minutes():
    """AGT-4: a metric that fails is retried later."""
    nvml, moment = Nvml(), [0.0]
    nvidia = started(nvml, clock=lambda: moment[0])
    nvidia.collect()
    nvml.calls.clear()
    nvidia.collect()
    assert "nvmlDeviceGetFanSpeed_v2" not in nvml.calls
    nvml.refused.clear()
    moment[0] = 601.0
    assert nvidia.collect()["gpu.1.fanSpeed"] == 30


def test_a_limit_that_is_not_told_gives_no_percentage():
    """AGT-4: if no limit, omit, not 0."""
    nvml = Nvml()
    nvml.refused.add(("nvmlDeviceGetEnforcedPowerLimit", 0))
    reading = started(nvml).collect()
    assert reading["gpu.0.powerWatts"] == 611.42
    assert "gpu.0.powerPercent" not in reading


def test_gpus_that_are_lost_are_a_failure():
    """AGT-4: a collector that fails is retried, from NVML's start."""
    nvml = Nvml()
    nvidia = started(nvml)
    nvml.lost = True
    with pytest.raises(Failed):
        nvidia.collect()
    nvml.lost = False
    nvidia.start()
    assert nvidia.collect()["gpu.0.gpu"] == 93


IN_CONTAINER = {"proc/self/ns/pid": ""}
"""Any inode but the kernel's own first one."""


def process_gpus(nvidia):
    return {tag.split(".")[2] for tag in nvidia.collect() if tag.startswith("gpu.process.")}


def test_gpus_of_the_process_are_copies_with_the_base_process_included(tree):
    """AGT-4: gpu.process.* is every metric of the GPU that the base process or a child uses."""
    nvml = Nvml()
    nvml.running = {0: [1], 1: [os.getpid()]}
    nvidia = started(nvml, tree=ProcessTree(os.getpid()), root=tree({}))
    reading = nvidia.collect()
    whole = {tag: value for tag, value in reading.items() if tag.startswith("gpu.1.")}
    copies = {tag: value for tag, value in reading.items() if tag.startswith("gpu.process.")}
    assert copies == {tag.replace("gpu.1.", "gpu.process.1."): value for tag, value in whole.items()}
    assert nvidia.facts()["gpu_process_match"] == "pid"


def test_in_a_container_the_hosts_proc_tells_who_is_who(tree):
    """AGT-4: through NSpid where the host's /proc is mounted."""
    status = "host/{0}/status", "NSpid:\t{0}\t{1}\n"
    ours, other = (
        {status[0].format(*pids): status[1].format(*pids)} for pids in ((88123, os.getpid()), (88124, 5))
    )
    root = tree({**IN_CONTAINER, **ours, **other})
    nvml = Nvml()
    nvml.running = {0: [88124], 1: [88123]}
    nvidia = started(nvml, tree=ProcessTree(os.getpid()), host_proc=root / "host", root=root)
    assert process_gpus(nvidia) == {"1"}
    assert nvidia.facts()["gpu_process_match"] == "namespace"


@pytest.mark.parametrize(
    ("visible", "expected"), [(["1"], {"1"}), (["GPU-0"], {"0"}), ([], set()), (None, {"0", "1"})]
)
def test_in_a_container_without_it_visible_devices_count(tree, visible, expected):
    """AGT-4: else by CUDA_VISIBLE_DEVICES, which the metadata says."""

    class Watched(ProcessTree):
        def visible_gpus(self):
            return visible

    nvml = Nvml()
    nvml.running = {0: [88123], 1: [88123]}
    nvidia = started(nvml, tree=Watched(os.getpid()), root=tree(IN_CONTAINER))
    assert process_gpus(nvidia) == expected
    assert nvidia.facts()["gpu_process_match"] == "visible_devices"


def test_only_the_gpus_that_are_wanted():
    """AGT-4: the setting gpus."""
    nvidia = started(Nvml(), gpus=[1])
    assert {tag.split(".")[1] for tag in nvidia.collect()} == {"1"}
    assert nvidia.facts()["gpu_count"] == 1
    with pytest.raises(Absent, match="no GPU"):
        started(Nvml(), gpus=[7])


def test_mig_instances_have_tags_of_their_own():
    """AGT-4: MIG, whose numbers have gaps."""
    nvml = Nvml()
    nvml.mig, nvml.gpm = {0: [0, 3]}, True
    nvidia = started(nvml)
    for counter in nvidia._counting.values():
        counter._at -= 1
    reading = nvidia.collect()
    assert reading["gpu.0.mig.3.memoryAllocated"] == 25
    assert reading["gpu.0.mig.3.smActive"] == pynvml.NVML_GPM_METRIC_SM_UTIL
    assert {tag.split(".")[3] for tag in reading if ".mig." in tag} == {"0", "3"}
    assert nvidia.facts()["gpu_nvidia"][0]["mig"] == ["MIG-0", "MIG-3"]
    assert all(describe(tag) for tag in reading)


def test_counters_of_hopper():
    """AGT-4: GPM; MiB/s become bytes/s, and what the device does not count is left out."""
    nvml = Nvml()
    nvml.gpm = True
    nvidia = started(nvml)
    assert "gpu.0.smActive" not in nvidia.collect(), "no time has passed"
    for counter in nvidia._counting.values():
        counter._at -= 1
    reading = nvidia.collect()
    assert reading["gpu.0.smOccupancy"] == pynvml.NVML_GPM_METRIC_SM_OCCUPANCY
    assert reading["gpu.0.pcieTxBytes"] == pynvml.NVML_GPM_METRIC_PCIE_TX_PER_SEC * 1024**2
    assert "gpu.0.pipeFp64Active" not in reading
    nvidia.close()
    nvidia.close()
    assert nvml.freed == 4


def test_facts_name_the_gpus():
    """AGT-4: names, sizes and UUIDs are metadata, not samples."""
    facts = started(Nvml()).facts()
    assert facts["cuda_version"] == "12.4"
    assert facts["gpu_nvidia"][1] == {
        "index": 1,
        "name": "NVIDIA H200",
        "uuid": "GPU-1",
        "memory_total": 140 * GIB,
        "cuda_cores": 16896,
        "architecture": "Hopper",
    }


def test_without_a_driver_there_is_nothing():
    """AGT-4: absent says what is missing."""
    with pytest.raises(Absent, match="libnothing.so not found"):
        Nvidia(library="libnothing.so").start()
