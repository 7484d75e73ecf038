"""AGT-7: the NVIDIA collector beside nvidia-smi while the GPU works; the parts of that also run without a GPU."""

from __future__ import annotations

import ctypes
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cuda_load import CudaError, keep_busy
from gpu_comparison import TOLERANCES, Compared, as_text, compare
from nvml import Nvml
from runyard_agent.collectors.nvidia import Nvidia, library_loads
from runyard_agent.collectors.nvidia_smi import _PLAIN, NvidiaSmi
from runyard_agent.processes import ProcessTree

LOAD_MIB = 1024
PAIRS = 10


@pytest.fixture
def load():
    """Keep GPU 0 busy in a process of its own, and return its PID."""
    if not library_loads() or not shutil.which("nvidia-smi"):
        pytest.skip("no NVIDIA GPU: the driver's library or nvidia-smi is not there")
    script = str(Path(__file__).with_name("cuda_load.py"))
    with subprocess.Popen(
        [sys.executable, script, str(LOAD_MIB), "120"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout
        assert process.stderr
        if process.stdout.readline() != "busy\n":
            pytest.fail(f"the load can't run: {process.stderr.read()}")
        yield process.pid
        process.kill()


@pytest.mark.gpu
def test_the_collector_agrees_with_nvidia_smi_under_load(load, capsys):
    """AGT-7: every metric that both know, within its tolerance; AGT-6: how long a sample takes is printed."""
    ours, theirs = Nvidia(tree=ProcessTree(load)), NvidiaSmi(binary=shutil.which("nvidia-smi"))
    ours.start()
    theirs.start()
    try:
        ours.collect()
        comparisons = []
        for _ in range(PAIRS):
            time.sleep(1)  # the driver averages utilization over up to a second
            comparisons.append(compare(ours, theirs))
        reading, facts = ours.collect(), ours.facts()
    finally:
        ours.close()
    with capsys.disabled():
        found = "found" if "gpu.process.0.temp" in reading else "not found"
        print(f"\n{facts.get('gpu_count')} × {facts.get('gpu')}, driver {facts.get('nvidia_driver')}")
        print(f"the load's process: {found}, by {facts['gpu_process_match']}")
        print(as_text(comparisons))
    different = [str(row) for each in comparisons for row in each.rows if not row.agrees]
    assert not different, "\n".join(different)
    assert {row.tag for row in comparisons[-1].rows} >= {"gpu.0.memoryAllocatedBytes", "gpu.0.temp"}
    assert not comparisons[-1].theirs_alone, "nvidia-smi knows what the collector does not"
    assert reading.get("gpu.0.gpu", 100) > 50, "the load keeps it busy"
    assert reading["gpu.0.memoryAllocatedBytes"] > LOAD_MIB * 1024**2
    if facts["gpu_process_match"] == "pid":  # in a container the driver may not tell who runs
        assert reading["gpu.process.0.memoryAllocatedBytes"] == reading["gpu.0.memoryAllocatedBytes"]


class Cuda:
    """The driver's library without a driver; ``refused`` is a function that fails."""

    def __init__(self, refused: str = "") -> None:
        self.calls: list[str] = []
        self._refused = refused

    def __getattr__(self, name):
        def call(*arguments):
            self.calls.append(name)
            if name == "cuMemAlloc_v2":
                ctypes.cast(arguments[0], ctypes.POINTER(ctypes.c_uint64))[0] = 0x7F0000000000
            if name == "cuMemsetD32_v2":
                memory, _, words = arguments
                assert (memory.value, words.value) == (0x7F0000000000, LOAD_MIB * 1024**2 // 4)
            return 2 if name == self._refused else 0

        return call


def test_the_load_fills_memory_until_its_time_is_over():
    """AGT-7: nothing but the driver is needed; what it took is given back."""
    told: list[str] = []
    cuda, moments = Cuda(), iter(range(100))
    keep_busy(cuda, mib=LOAD_MIB, seconds=3, tell=told.append, clock=lambda: next(moments))
    assert told == ["busy"]
    assert cuda.calls.count("cuCtxSynchronize") == 3
    assert cuda.calls.count("cuMemsetD32_v2") == 3 * 64
    assert cuda.calls[:5] == [
        "cuInit",
        "cuDeviceGet",
        "cuDevicePrimaryCtxRetain",
        "cuCtxSetCurrent",
        "cuMemAlloc_v2",
    ]
    assert cuda.calls[-2:] == ["cuMemFree_v2", "cuDevicePrimaryCtxRelease_v2"]


def test_a_load_that_the_driver_refuses_names_the_call():
    """AGT-7: as when another program holds all the memory."""
    with pytest.raises(CudaError, match="cuMemAlloc_v2 failed with CUDA error 2"):
        keep_busy(Cuda("cuMemAlloc_v2"), mib=LOAD_MIB, seconds=1, tell=print)


SMI = (
    "0, GPU-0, NVIDIA H200, 93, 41, 143360, {used}, 58, 611.42, 700.00, 1830, 3201, 1820, 5, 0, 12, [N/A]\n"
    "1, GPU-1, NVIDIA H200, 92, 41, 143360, 71680, 58, [N/A], [N/A], 1830, 3201, 1820, 5, 0, 12, [N/A]\n"
)


@pytest.mark.parametrize(
    ("used", "different"), [(71680, []), (70000, ["memoryAllocated", "memoryAllocatedBytes"])]
)
def test_a_comparison_finds_what_differs(tool, used, different):
    """AGT-7: the comparison itself, by a stand-in for the library and a real executable for nvidia-smi."""
    nvml = Nvml()
    nvml.running[0] = [os.getpid()]
    ours, theirs = (
        Nvidia(nvml=nvml, tree=ProcessTree(os.getpid())),
        NvidiaSmi(binary=tool("nvidia-smi", SMI.format(used=used))),
    )
    ours.start()
    theirs.start()
    found = compare(ours, theirs)
    assert [row.tag for row in found.rows if not row.agrees] == [f"gpu.0.{name}" for name in different]
    assert len(found.rows) == 14 + 11
    assert found.ours_alone == {"gpu.0.energyJoules", "gpu.1.energyJoules"}
    assert found.theirs_alone == set()
    text = as_text([found])
    assert text.count("<-- differs") == len(different)
    assert "gpu.0.temp" in text
    assert "ms (median of 1)" in text


def test_a_value_between_two_of_nvidia_smi_agrees():
    """AGT-7: what changes while it is compared is no difference."""
    assert Compared("gpu.0.powerWatts", 700, 400, 100).agrees
    assert not Compared("gpu.0.powerWatts", 700, 731, 100).agrees
    assert not Compared("gpu.0.correctedMemoryErrors", 0, 1, 0).agrees


def test_every_value_of_nvidia_smi_has_a_tolerance():
    """AGT-7: so that no metric is left out of the comparison."""
    assert {*_PLAIN.values(), "memoryAllocated", "memoryAllocatedBytes", "powerPercent"} == set(TOLERANCES)
