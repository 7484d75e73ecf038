"""NVIDIA GPUs by NVML, the library that the driver brings."""

from __future__ import annotations

import ctypes
import logging
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, Callable

from runyard_agent.collecting import Absent, Facts, Failed, Reading, percent
from runyard_agent.processes import ProcessTree, in_pid_namespace, inner_pid

logger = logging.getLogger(__name__)

LIBRARY = "nvml.dll" if sys.platform == "win32" else "libnvidia-ml.so.1"
_RETRY_S = 600.0
"""How long a metric rests that a device refused; a driver that is replaced may have learned it."""
_ARCHITECTURES = {
    2: "Kepler", 3: "Maxwell", 4: "Pascal", 5: "Volta", 6: "Turing", 7: "Ampere", 8: "Ada", 9: "Hopper",
    10: "Blackwell",
}  # fmt: skip
_MIB = 1024**2
_GPM = {
    "smActive": ("NVML_GPM_METRIC_SM_UTIL", 1),
    "smOccupancy": ("NVML_GPM_METRIC_SM_OCCUPANCY", 1),
    "dramActive": ("NVML_GPM_METRIC_DRAM_BW_UTIL", 1),
    "pipeTensorActive": ("NVML_GPM_METRIC_ANY_TENSOR_UTIL", 1),
    "pipeTensorHmmaActive": ("NVML_GPM_METRIC_HMMA_TENSOR_UTIL", 1),
    "pipeFp64Active": ("NVML_GPM_METRIC_FP64_UTIL", 1),
    "pipeFp32Active": ("NVML_GPM_METRIC_FP32_UTIL", 1),
    "pipeFp16Active": ("NVML_GPM_METRIC_FP16_UTIL", 1),
    "pcieTxBytes": ("NVML_GPM_METRIC_PCIE_TX_PER_SEC", _MIB),
    "pcieRxBytes": ("NVML_GPM_METRIC_PCIE_RX_PER_SEC", _MIB),
    "nvlinkTxBytes": ("NVML_GPM_METRIC_NVLINK_TOTAL_TX_PER_SEC", _MIB),
    "nvlinkRxBytes": ("NVML_GPM_METRIC_NVLINK_TOTAL_RX_PER_SEC", _MIB),
}
"""What the driver counts all the time on Hopper and newer: its number, and what makes the table's unit of it."""

Reader = Callable[[Any, Any], Reading]


class Nvidia:
    """All GPUs that the driver shows, by index, and their MIG instances.

    Args:
        nvml: a module with NVML's functions; None is ``pynvml`` over the driver's library.
        library: what the driver calls it.
        gpus: the indexes to read; empty is all.
        host_proc: where the host's /proc is mounted in a container.
    """

    name = "nvidia"

    def __init__(
        self,
        *,
        nvml: Any = None,
        library: str = LIBRARY,
        tree: ProcessTree | None = None,
        gpus: Sequence[int] = (),
        host_proc: Path | None = None,
        root: Path = Path("/"),
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._nvml, self._library, self._gpus, self._clock = nvml, library, gpus, clock
        self._tree = tree or ProcessTree(None)
        self._host_proc, self._root = host_proc, root
        self._handles: dict[int, Any] = {}
        self._instances: dict[int, list[tuple[int, Any]]] = {}
        self._counting: dict[tuple[int, int | None], _Gpm] = {}
        self._resting: dict[object, float] = {}
        self._match = ""
        self._facts: Facts = {}

    def start(self) -> None:
        """Load the library; NVML itself starts when the first collector asks, and stays."""
        if self._nvml is None:
            self._nvml = _load(self._library)
        nvml = self._nvml
        try:
            nvml.nvmlInit()
            count = nvml.nvmlDeviceGetCount()
        except nvml.NVMLError as error:
            raise Absent(f"NVML can't be started: {error}") from None
        self._resting.clear()
        self._handles = {
            index: handle
            for index in range(count)
            if not self._gpus or index in self._gpus
            for handle in [self._quiet(nvml.nvmlDeviceGetHandleByIndex, index)]
            if handle is not None
        }
        if not self._handles:
            raise Absent("the NVIDIA driver shows no GPU")
        for index, handle in self._handles.items():
            self._instances[index] = list(self._mig_instances(handle))
            self._count(index, None, handle, handle)
            for number, instance in self._instances[index]:
                self._count(index, number, handle, instance)
        self._facts = self._find_facts()

    def collect(self) -> Reading:
        reading: Reading = {}
        answered = False
        ours = self._tree.pids() if self._tree else set()
        for index, handle in self._handles.items():
            values: Reading = {}
            for read in _READERS:
                values.update(self._quiet(read, self._nvml, handle) or {})
            answered = answered or bool(values)
            values.update(self._counted(index, None))
            reading.update({f"gpu.{index}.{name}": value for name, value in values.items()})
            if ours and self._is_used(index, handle, ours):
                reading.update({f"gpu.process.{index}.{name}": value for name, value in values.items()})
            for number, instance in self._instances[index]:
                parts = self._quiet(_memory, self._nvml, instance) or {}
                parts.update(self._counted(index, number))
                reading.update({f"gpu.{index}.mig.{number}.{name}": value for name, value in parts.items()})
        if not answered:
            raise Failed("no GPU answers NVML")
        return reading

    def facts(self) -> Facts:
        return {**self._facts, "gpu_process_match": self._match} if self._match else self._facts

    def close(self) -> None:
        """Free the counters' buffers; the library stays, since others in this process may use it."""
        for counter in self._counting.values():
            counter.close()
        self._counting.clear()

    def _find_facts(self) -> Facts:
        nvml = self._nvml
        cards = []
        for index, handle in self._handles.items():
            architecture = self._fact(nvml.nvmlDeviceGetArchitecture, handle)
            memory = self._fact(nvml.nvmlDeviceGetMemoryInfo, handle)
            card = {
                "index": index,
                "name": self._fact(nvml.nvmlDeviceGetName, handle),
                "uuid": self._fact(nvml.nvmlDeviceGetUUID, handle),
                "memory_total": memory.total if memory is not None else None,
                "cuda_cores": self._fact(nvml.nvmlDeviceGetNumGpuCores, handle),
                "architecture": _ARCHITECTURES.get(architecture) if architecture is not None else None,
            }
            cards.append({name: value for name, value in card.items() if value is not None})
        for card, instances in zip(cards, self._instances.values()):
            uuids = [self._fact(nvml.nvmlDeviceGetUUID, instance) for _, instance in instances]
            if uuids:
                card["mig"] = uuids
        facts: Facts = {"gpu_count": len(cards), "gpu_nvidia": cards}
        if cards and "name" in cards[0]:
            facts["gpu"] = cards[0]["name"]
        cuda = self._fact(nvml.nvmlSystemGetCudaDriverVersion)
        if cuda:
            facts["cuda_version"] = f"{cuda // 1000}.{cuda % 1000 // 10}"
        driver = self._fact(nvml.nvmlSystemGetDriverVersion)
        if driver:
            facts["nvidia_driver"] = driver
        return facts

    def _quiet(self, call: Callable[..., Any], *arguments: Any) -> Any:
        """Return what a call gives, or None; a call that the device refuses rests a while."""
        key = (call, *map(id, arguments))  # handles are kept as long as we are
        if self._resting.get(key, 0) > self._clock():
            return None
        try:
            return call(*arguments)
        except (self._nvml.NVMLError, AttributeError) as error:  # AttributeError: an older binding
            self._resting[key] = self._clock() + _RETRY_S
            logger.debug("NVML refuses %s: %s", call, error)
            return None

    def _fact(self, call: Callable[..., Any], *arguments: Any) -> Any:
        value = self._quiet(call, *arguments)
        return value.decode() if isinstance(value, bytes) else value  # older bindings give bytes

    def _is_used(self, index: int, handle: Any, ours: set[int]) -> bool:
        """Whether one of our processes runs on the GPU, whose driver may number processes differently."""
        nvml = self._nvml
        pids: set[int] = set()
        for call in (nvml.nvmlDeviceGetComputeRunningProcesses, nvml.nvmlDeviceGetGraphicsRunningProcesses):
            running = self._quiet(call, handle) or ()
            pids.update(process.pid for process in running)
        if not in_pid_namespace(self._root):
            self._match = "pid"
            return bool(pids & ours)
        if self._host_proc is not None:
            self._match = "namespace"
            host_proc = self._host_proc
            return any(inner_pid(pid, host_proc) in ours for pid in pids)
        self._match = "visible_devices"
        visible = self._tree.visible_gpus()
        uuid = self._fact(nvml.nvmlDeviceGetUUID, handle) or ""
        named = visible is None or any(each == str(index) or uuid.startswith(each) for each in visible)
        return named and bool(pids)

    def _mig_instances(self, handle: Any) -> Iterator[tuple[int, Any]]:
        nvml = self._nvml
        mode = self._quiet(nvml.nvmlDeviceGetMigMode, handle)
        if not mode or not mode[0]:
            return
        for number in range(nvml.nvmlDeviceGetMaxMigDeviceCount(handle)):
            instance = self._quiet(nvml.nvmlDeviceGetMigDeviceHandleByIndex, handle, number)
            if instance is not None:  # numbers have gaps
                yield number, instance

    def _count(self, index: int, number: int | None, handle: Any, instance: Any) -> None:
        """Begin to count what GPM offers, where the device has it."""
        nvml = self._nvml
        support = self._quiet(nvml.nvmlGpmQueryDeviceSupport, handle)
        if support is None or not support.isSupportedDevice:
            return
        part = None if number is None else self._quiet(nvml.nvmlDeviceGetGpuInstanceId, instance)
        if number is not None and part is None:
            return
        counter = self._quiet(_Gpm, nvml, handle, part)
        if counter is not None:
            self._counting[index, number] = counter

    def _counted(self, index: int, number: int | None) -> Reading:
        counter = self._counting.get((index, number))
        return (self._quiet(counter.read) if counter else None) or {}


class _Gpm:
    """Counters of a GPU or MIG instance between the last reading and this one."""

    def __init__(self, nvml: Any, handle: Any, instance: int | None) -> None:
        self._nvml, self._handle, self._instance = nvml, handle, instance
        self._before, self._now = nvml.nvmlGpmSampleAlloc(), nvml.nvmlGpmSampleAlloc()
        self._names = [name for name, (metric, _) in _GPM.items() if hasattr(nvml, metric)]
        self._question = nvml.c_nvmlGpmMetricsGet_t()
        self._take(self._before)
        self._at = time.monotonic()

    def read(self) -> Reading:
        """Return the averages since the last call; nothing when that was under 100 ms ago, which NVML refuses."""
        nvml, question, at = self._nvml, self._question, time.monotonic()
        if at - self._at < 0.1:
            return {}
        self._take(self._now)
        question.version = nvml.NVML_GPM_METRICS_GET_VERSION
        question.numMetrics = len(self._names)
        question.sample1, question.sample2 = self._before, self._now
        for slot, name in enumerate(self._names):
            question.metrics[slot].metricId = getattr(nvml, _GPM[name][0])
        nvml.nvmlGpmMetricsGet(question)
        self._before, self._now, self._at = self._now, self._before, at
        return {
            name: question.metrics[slot].value * _GPM[name][1]
            for slot, name in enumerate(self._names)
            if question.metrics[slot].nvmlReturn == nvml.NVML_SUCCESS
        }

    def close(self) -> None:
        for sample in (self._before, self._now):
            self._nvml.nvmlGpmSampleFree(sample)

    def _take(self, sample: Any) -> None:
        if self._instance is None:
            self._nvml.nvmlGpmSampleGet(self._handle, sample)
        else:
            self._nvml.nvmlGpmMigSampleGet(self._handle, self._instance, sample)


def library_loads(library: str = LIBRARY) -> bool:
    """Whether the driver's library is there, which costs nothing to ask."""
    try:
        ctypes.CDLL(library)
    except OSError:
        return False
    return True


def _load(library: str) -> Any:
    """Return the binding, which is imported only where it has a library to call."""
    if not library_loads(library) and sys.platform != "win32":  # there the binding looks in more places
        raise Absent(f"no NVIDIA driver: {library} not found")
    import pynvml

    return pynvml


def _utilization(nvml: Any, handle: Any) -> Reading:
    rates = nvml.nvmlDeviceGetUtilizationRates(handle)
    return {"gpu": rates.gpu, "memory": rates.memory}


def _memory(nvml: Any, handle: Any) -> Reading:
    memory = nvml.nvmlDeviceGetMemoryInfo(handle)
    share = percent(memory.used, memory.total)
    return {"memoryAllocatedBytes": memory.used, **({} if share is None else {"memoryAllocated": share})}


def _temperature(nvml: Any, handle: Any) -> Reading:
    return {"temp": nvml.nvmlDeviceGetTemperature(handle, nvml.NVML_TEMPERATURE_GPU)}


def _power(nvml: Any, handle: Any) -> Reading:
    watts = nvml.nvmlDeviceGetPowerUsage(handle) / 1000
    try:
        limit = nvml.nvmlDeviceGetEnforcedPowerLimit(handle) / 1000
    except nvml.NVMLError:
        return {"powerWatts": watts}
    share = percent(watts, limit)
    known_share = {} if share is None else {"powerPercent": share}
    return {"powerWatts": watts, "enforcedPowerLimitWatts": limit, **known_share}


def _sm_clock(nvml: Any, handle: Any) -> Reading:
    return {"smClock": nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_SM)}


def _memory_clock(nvml: Any, handle: Any) -> Reading:
    return {"memoryClock": nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_MEM)}


def _graphics_clock(nvml: Any, handle: Any) -> Reading:
    return {"graphicsClock": nvml.nvmlDeviceGetClockInfo(handle, nvml.NVML_CLOCK_GRAPHICS)}


def _errors(nvml: Any, handle: Any) -> Reading:
    """Count since the driver was loaded; the aggregate counter raised false alarms after rows were remapped."""
    return {
        name: nvml.nvmlDeviceGetMemoryErrorCounter(
            handle, kind, nvml.NVML_VOLATILE_ECC, nvml.NVML_MEMORY_LOCATION_DEVICE_MEMORY
        )
        for name, kind in (
            ("correctedMemoryErrors", nvml.NVML_MEMORY_ERROR_TYPE_CORRECTED),
            ("unCorrectedMemoryErrors", nvml.NVML_MEMORY_ERROR_TYPE_UNCORRECTED),
        )
    }


def _encoder(nvml: Any, handle: Any) -> Reading:
    return {"encoderUtilization": nvml.nvmlDeviceGetEncoderUtilization(handle)[0]}


def _fan(nvml: Any, handle: Any) -> Reading:
    return {"fanSpeed": nvml.nvmlDeviceGetFanSpeed_v2(handle, 0)}


def _energy(nvml: Any, handle: Any) -> Reading:
    return {"energyJoules": nvml.nvmlDeviceGetTotalEnergyConsumption(handle) / 1000}


def _pcie(nvml: Any, handle: Any) -> Reading:
    return {
        "pcieLinkGen": nvml.nvmlDeviceGetCurrPcieLinkGeneration(handle),
        "pcieLinkWidth": nvml.nvmlDeviceGetCurrPcieLinkWidth(handle),
        "maxPcieLinkGen": nvml.nvmlDeviceGetMaxPcieLinkGeneration(handle),
        "maxPcieLinkWidth": nvml.nvmlDeviceGetMaxPcieLinkWidth(handle),
    }


def _pcie_speed(nvml: Any, handle: Any) -> Reading:
    return {"pcieLinkSpeed": nvml.nvmlDeviceGetPcieSpeed(handle)}


_READERS: tuple[Reader, ...] = (
    _utilization, _memory, _temperature, _power, _sm_clock, _memory_clock, _graphics_clock, _errors, _encoder, _fan,
    _energy, _pcie, _pcie_speed,
)  # fmt: skip
"""One call each, so that a device that refuses one metric still gives the others."""
