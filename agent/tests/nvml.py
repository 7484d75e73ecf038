"""NVML without a GPU: its functions, structures and errors, with invented values."""

from __future__ import annotations

from types import SimpleNamespace

import pynvml

GIB = 1024**3
REAL = (
    "NVML_SUCCESS NVML_TEMPERATURE_GPU NVML_CLOCK_SM NVML_CLOCK_MEM NVML_CLOCK_GRAPHICS NVML_VOLATILE_ECC "
    "NVML_MEMORY_LOCATION_DEVICE_MEMORY NVML_MEMORY_ERROR_TYPE_CORRECTED NVML_MEMORY_ERROR_TYPE_UNCORRECTED "
    "NVML_GPM_METRICS_GET_VERSION c_nvmlGpmMetricsGet_t c_nvmlGpmSample_t"
).split()


class Nvml:
    """H200s; the second refuses power, fans and ECC, as a device in a virtual machine does."""

    NVMLError = pynvml.NVMLError

    def __init__(self, count: int = 2) -> None:
        self.count = count
        for name in REAL + [name for name in dir(pynvml) if name.startswith("NVML_GPM_METRIC_")]:
            setattr(self, name, getattr(pynvml, name))
        self.refused = {
            ("nvmlDeviceGetPowerUsage", 1),
            ("nvmlDeviceGetFanSpeed_v2", 1),
            ("nvmlDeviceGetFanSpeed_v2", 0),
        }
        self.running: dict[int, list[int]] = {index: [] for index in range(count)}
        self.mig: dict[int, list[int]] = {}
        self.gpm = False
        self.freed = 0
        self.calls: list[str] = []
        self.lost = False

    def _give(self, name, handle, value):
        self.calls.append(name)
        if self.lost or (name, handle) in self.refused:
            raise self.NVMLError(
                pynvml.NVML_ERROR_GPU_IS_LOST if self.lost else pynvml.NVML_ERROR_NOT_SUPPORTED
            )
        return value

    def nvmlInit(self):
        pass

    def nvmlDeviceGetCount(self):
        return self.count

    def nvmlDeviceGetHandleByIndex(self, index):
        return index

    def nvmlDeviceGetUtilizationRates(self, handle):
        return self._give(
            "nvmlDeviceGetUtilizationRates", handle, SimpleNamespace(gpu=93 - handle, memory=41)
        )

    def nvmlDeviceGetMemoryInfo(self, handle):
        sizes = {"mig": SimpleNamespace(used=4 * GIB, total=16 * GIB)}
        whole = SimpleNamespace(used=70 * GIB, total=140 * GIB)
        return self._give(
            "nvmlDeviceGetMemoryInfo", handle, sizes["mig"] if isinstance(handle, tuple) else whole
        )

    def nvmlDeviceGetTemperature(self, handle, sensor):
        assert sensor == pynvml.NVML_TEMPERATURE_GPU
        return self._give("nvmlDeviceGetTemperature", handle, 58)

    def nvmlDeviceGetPowerUsage(self, handle):
        return self._give("nvmlDeviceGetPowerUsage", handle, 611_420)

    def nvmlDeviceGetEnforcedPowerLimit(self, handle):
        return self._give("nvmlDeviceGetEnforcedPowerLimit", handle, 700_000)

    def nvmlDeviceGetClockInfo(self, handle, kind):
        clocks = {pynvml.NVML_CLOCK_SM: 1830, pynvml.NVML_CLOCK_MEM: 3201, pynvml.NVML_CLOCK_GRAPHICS: 1820}
        return self._give("nvmlDeviceGetClockInfo", handle, clocks[kind])

    def nvmlDeviceGetMemoryErrorCounter(self, handle, kind, counter, place):
        assert counter == pynvml.NVML_VOLATILE_ECC
        assert place == pynvml.NVML_MEMORY_LOCATION_DEVICE_MEMORY
        return self._give("ecc", handle, 5 if kind == pynvml.NVML_MEMORY_ERROR_TYPE_CORRECTED else 0)

    def nvmlDeviceGetEncoderUtilization(self, handle):
        return self._give("nvmlDeviceGetEncoderUtilization", handle, [12, 1000])

    def nvmlDeviceGetFanSpeed_v2(self, handle, fan):
        return self._give("nvmlDeviceGetFanSpeed_v2", handle, 30)

    def nvmlDeviceGetTotalEnergyConsumption(self, handle):
        return self._give("nvmlDeviceGetTotalEnergyConsumption", handle, 5_000)

    def nvmlDeviceGetComputeRunningProcesses(self, handle):
        return self._give("running", handle, [SimpleNamespace(pid=pid) for pid in self.running[handle]])

    def nvmlDeviceGetGraphicsRunningProcesses(self, handle):
        return self._give("nvmlDeviceGetGraphicsRunningProcesses", handle, [])

    def nvmlDeviceGetMigMode(self, handle):
        return self._give("nvmlDeviceGetMigMode", handle, [int(handle in self.mig), 0])

    def nvmlDeviceGetMaxMigDeviceCount(self, handle):
        return 7

    def nvmlDeviceGetMigDeviceHandleByIndex(self, handle, number):
        if number not in self.mig[handle]:
            raise self.NVMLError(pynvml.NVML_ERROR_NOT_FOUND)
        return (handle, number)

    def nvmlDeviceGetGpuInstanceId(self, instance):
        return instance[1]

    def nvmlDeviceGetName(self, handle):
        return b"NVIDIA H200" if handle else "NVIDIA H200"

    def nvmlDeviceGetUUID(self, handle):
        return f"GPU-{handle}" if isinstance(handle, int) else f"MIG-{handle[1]}"

    def nvmlDeviceGetNumGpuCores(self, handle):
        return 16896

    def nvmlDeviceGetArchitecture(self, handle):
        return 9

    def nvmlSystemGetCudaDriverVersion(self):
        return 12040

    def nvmlSystemGetDriverVersion(self):
        return "570.1"

    def nvmlGpmQueryDeviceSupport(self, handle):
        return SimpleNamespace(isSupportedDevice=int(self.gpm))

    def nvmlGpmSampleAlloc(self):
        return pynvml.c_nvmlGpmSample_t()

    def nvmlGpmSampleFree(self, sample):
        self.freed += 1

    def nvmlGpmSampleGet(self, handle, sample):
        return sample

    def nvmlGpmMigSampleGet(self, handle, instance, sample):
        return sample

    def nvmlGpmMetricsGet(self, question):
        for slot in range(question.numMetrics):
            metric = question.metrics[slot]
            metric.nvmlReturn = (
                pynvml.NVML_ERROR_NOT_SUPPORTED if metric.metricId == pynvml.NVML_GPM_METRIC_FP64_UTIL else 0
            )
            metric.value = metric.metricId
