"""The one table of metrics: what each tag means, in which unit, from where.

The listing of ``runyard-agent metrics``, the page docs/use/agent-metrics.md and the server's titles and units of charts
(metrics/hardware/hardware.json, by ``make schemas``) are made of it; its order is the order of charts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

_PLACES = {"gpu": r"\d+", "core": r"\d+", "mig": r"\d+", "n": r"\d+", "ipu": r"\d+", "tpu": r"\d+"}
"""Placeholders that are numbers; any other is text that may hold dots."""


class Metric(NamedTuple):
    """A tag, with ``{placeholders}``, and what a chart of it says."""

    tag: str
    unit: str
    title: str
    group: str
    source: str
    text: str
    aliases: tuple[str, ...] = ()
    cumulative: bool = False
    """Grows only; its rate is of more interest."""


class Found(NamedTuple):
    metric: Metric
    places: dict[str, str]
    label: str


_NVML, _GPM = "NVML", "NVML GPM (Hopper and newer), DCGM"
_AMD = "amdgpu files, amd-smi, rocm-smi"
_ALL_GPUS = "NVML, nvidia-smi, DCGM; amdgpu files, amd-smi, rocm-smi; macmon, ioreg"

_HOST = [
    Metric("cpu", "%", "CPU", "CPU", "psutil, cgroup", "CPU time of the watched processes relative to the CPUs they can use: the cgroup limit, or the physical cores, so hyper-threading can take it above 100. Without a watched process, of the whole machine."),
    Metric("cpu.{core}.cpu_percent", "%", "CPU core {core}", "CPU", "psutil", "Use of one logical core; sent with the setting `per_core`."),
    Metric("proc.cpu.threads", "count", "Threads", "CPU", "psutil", "Threads of the watched processes."),
    Metric("proc.cpu.throttledPercent", "%", "CPU throttled", "CPU", "cgroup", "Share of scheduling periods in which the cgroup's CPU limit throttled processes."),
    Metric("memory_percent", "%", "Memory", "Memory", "psutil, cgroup", "Memory in use, relative to the machine's memory or the cgroup limit.", ("memory",)),
    Metric("proc.memory.availableMB", "MiB", "Memory available", "Memory", "psutil, cgroup", "Memory available without swapping."),
    Metric("proc.memory.rssMB", "MiB", "Process memory", "Memory", "psutil", "Resident memory of the watched processes."),
    Metric("proc.memory.percent", "%", "Process memory", "Memory", "psutil, cgroup", "Resident memory of the watched processes, relative to the machine's memory or the cgroup limit."),
    Metric("proc.memory.oomKills", "count", "OOM kills", "Memory", "cgroup", "Processes of the cgroup that the kernel killed because memory ran out.", (), cumulative=True),
    Metric("disk.{path}.usagePercent", "%", "Disk {path} used", "Disk", "psutil", "Space in use on the file system of a path.", ("disk", "disk.{path}.usagePercen")),
    Metric("disk.{path}.usageGB", "GiB", "Disk {path} used", "Disk", "psutil", "Space in use on the file system of a path."),
    Metric("disk.in", "MiB", "Disk read", "Disk", "psutil", "Read from all disks since the first sample.", (), cumulative=True),
    Metric("disk.out", "MiB", "Disk written", "Disk", "psutil", "Written to all disks since the first sample.", (), cumulative=True),
    Metric("disk.{device}.in", "MiB", "Disk {device} read", "Disk", "psutil", "Read from one disk since the first sample.", (), cumulative=True),
    Metric("disk.{device}.out", "MiB", "Disk {device} written", "Disk", "psutil", "Written to one disk since the first sample.", (), cumulative=True),
    Metric("network.sent", "bytes", "Network sent", "Network", "psutil", "Sent by all interfaces since the first sample.", (), cumulative=True),
    Metric("network.recv", "bytes", "Network received", "Network", "psutil", "Received by all interfaces since the first sample.", (), cumulative=True),
    Metric("network.tcpRetransmits", "count", "TCP retransmits", "Network", "/proc/net/snmp", "TCP segments sent again since the first sample.", (), cumulative=True),
]  # fmt: skip

_GPU = [
    Metric("gpu", "%", "GPU use", "GPU", _ALL_GPUS, "Share of time during which something ran on the GPU."),
    Metric("memoryAllocated", "%", "GPU memory allocated", "GPU", _ALL_GPUS, "Memory in use, relative to the GPU's memory."),
    Metric("memoryAllocatedBytes", "bytes", "GPU memory allocated", "GPU", _ALL_GPUS, "Memory in use."),
    Metric("powerWatts", "W", "GPU power", "GPU", _ALL_GPUS, "Current power draw; AMD MI200 reports the average."),
    Metric("temp", "°C", "GPU temperature", "GPU", _ALL_GPUS, "Temperature; on AMD, of the memory, or else of the hottest spot or the edge."),
    Metric("powerPercent", "%", "GPU power", "GPU", _NVML + "; " + _AMD, "Power draw, relative to the enforced limit."),
    Metric("memory", "%", "GPU memory access", "GPU", _NVML + "; " + _AMD, "Share of time during which memory was read or written; not how full it is."),
    Metric("enforcedPowerLimitWatts", "W", "GPU power limit", "GPU", _NVML, "The enforced power limit."),
    Metric("energyJoules", "J", "GPU energy", "GPU", _NVML, "Energy used since the driver was loaded.", cumulative=True),
    Metric("smClock", "MHz", "SM clock", "GPU", _NVML + "; " + _AMD, "Clock of the multiprocessors."),
    Metric("memoryClock", "MHz", "Memory clock", "GPU", _NVML + "; " + _AMD, "Clock of the memory."),
    Metric("graphicsClock", "MHz", "Graphics clock", "GPU", _NVML + "; " + _AMD, "Clock of the graphics engine."),
    Metric("correctedMemoryErrors", "count", "Corrected memory errors", "GPU", _NVML + "; " + _AMD, "Errors that ECC corrected since the driver was loaded.", cumulative=True),
    Metric("unCorrectedMemoryErrors", "count", "Uncorrected memory errors", "GPU", _NVML + "; " + _AMD, "Errors that ECC found and could not correct since the driver was loaded.", ("uncorrectedMemoryErrors",), cumulative=True),
    Metric("encoderUtilization", "%", "Video encoder", "GPU", _NVML, "Use of the video encoder."),
    Metric("fanSpeed", "%", "Fan speed", "GPU", _NVML, "Speed of the first fan, relative to its maximum."),
    Metric("smActive", "%", "SM active", "GPU", _GPM, "Share of multiprocessors with at least one warp, over time."),
    Metric("smOccupancy", "%", "SM occupancy", "GPU", _GPM, "Resident warps, relative to the maximum."),
    Metric("dramActive", "%", "Memory bandwidth", "GPU", _GPM, "Memory bandwidth in use, relative to the maximum."),
    Metric("pipeTensorActive", "%", "Tensor cores", "GPU", _GPM, "Share of time during which tensor cores worked."),
    Metric("pipeTensorHmmaActive", "%", "Tensor cores, FP16", "GPU", _GPM, "Share of time during which tensor cores worked in half precision."),
    Metric("pipeFp64Active", "%", "FP64 pipe", "GPU", _GPM, "Share of time during which the FP64 pipe worked."),
    Metric("pipeFp32Active", "%", "FP32 pipe", "GPU", _GPM, "Share of time during which the FP32 pipe worked."),
    Metric("pipeFp16Active", "%", "FP16 pipe", "GPU", _GPM, "Share of time during which the FP16 pipe worked."),
    Metric("pcieTxBytes", "bytes/s", "PCIe sent", "GPU", _GPM, "Sent over PCIe."),
    Metric("pcieRxBytes", "bytes/s", "PCIe received", "GPU", _GPM, "Received over PCIe."),
    Metric("nvlinkTxBytes", "bytes/s", "NVLink sent", "GPU", _GPM, "Sent over all NVLinks."),
    Metric("nvlinkRxBytes", "bytes/s", "NVLink received", "GPU", _GPM, "Received over all NVLinks."),
    Metric("pcieLinkGen", "", "PCIe generation", "GPU", _NVML, "Current generation of the link."),
    Metric("pcieLinkWidth", "lanes", "PCIe lanes", "GPU", _NVML, "Lanes the link currently uses."),
    Metric("pcieLinkSpeed", "Mbit/s", "PCIe link speed", "GPU", _NVML, "Speed of a lane."),
    Metric("maxPcieLinkGen", "", "Max PCIe generation", "GPU", _NVML, "Highest generation the GPU and board support."),
    Metric("maxPcieLinkWidth", "lanes", "Max PCIe lanes", "GPU", _NVML, "Most lanes the GPU and board support."),
]  # fmt: skip

_OTHER_GPU = [
    Metric("gpu.{gpu}.memoryReadWriteActivity", "%", "GPU memory access", "GPU", "rocm-smi", "Share of time during which memory was read or written."),
    Metric("gpu.{gpu}.memoryOverDrive", "%", "Memory overdrive", "GPU", "rocm-smi", "How far the memory is overclocked."),
    Metric("gpu.{gpu}.freq", "MHz", "GPU clock", "GPU", "macmon, powermetrics", "Clock of the GPU."),
    Metric("gpu.{gpu}.memoryTemp", "°C", "GPU memory temperature", "GPU", "DCGM", "Temperature of the memory."),
    Metric("gpu.{gpu}.memoryUsed", "MiB", "GPU memory used", "GPU", "DCGM", "Frame buffer in use."),
    Metric("gpu.{gpu}.memoryFree", "MiB", "GPU memory free", "GPU", "DCGM", "Frame buffer that is free."),
    Metric("gpu.{gpu}.memoryTotal", "MiB", "GPU memory", "GPU", "DCGM", "Size of the frame buffer."),
    Metric("gpu.{gpu}.totalEnergyConsumption", "mJ", "GPU energy", "GPU", "DCGM", "Energy used since the driver was loaded.", cumulative=True),
    Metric("cpu.avg_temp", "°C", "CPU temperature", "Apple silicon", "macmon", "Mean temperature of the CPU."),
    Metric("cpu.powerWatts", "W", "CPU power", "Apple silicon", "macmon", "Power of the CPU."),
    Metric("cpu.ecpu_percent", "%", "Efficiency cores", "Apple silicon", "macmon", "Use of the efficiency cores."),
    Metric("cpu.ecpu_freq", "MHz", "Efficiency cores", "Apple silicon", "macmon", "Clock of the efficiency cores."),
    Metric("cpu.pcpu_percent", "%", "Performance cores", "Apple silicon", "macmon", "Use of the performance cores."),
    Metric("cpu.pcpu_freq", "MHz", "Performance cores", "Apple silicon", "macmon", "Clock of the performance cores."),
    Metric("ane.power", "W", "Neural engine", "Apple silicon", "macmon", "Power of the neural engine."),
    Metric("system.powerWatts", "W", "Machine power", "Apple silicon", "macmon", "Power of the whole machine."),
    Metric("memory.used", "bytes", "Memory used", "Apple silicon", "macmon", "Memory in use."),
    Metric("memory.used_percent", "%", "Memory used", "Apple silicon", "macmon", "Memory in use, relative to the total."),
    Metric("swap.used", "bytes", "Swap used", "Apple silicon", "macmon", "Swap in use."),
    Metric("swap.used_percent", "%", "Swap used", "Apple silicon", "macmon", "Swap in use, relative to the current total."),
]  # fmt: skip

_ACCELERATORS = [
    Metric("ipu.{ipu}.ipu utilisation (%)", "%", "IPU use", "IPU", "gcipuinfo", "Use of the IPU."),
    Metric("ipu.{ipu}.ipu utilisation (session) (%)", "%", "IPU use in this session", "IPU", "gcipuinfo", "Use of the IPU since the program attached."),
    Metric("ipu.{ipu}.average board temp (C)", "°C", "Board temperature", "IPU", "gcipuinfo", "Mean temperature of the board."),
    Metric("ipu.{ipu}.average die temp (C)", "°C", "Die temperature", "IPU", "gcipuinfo", "Mean temperature of the die."),
    Metric("ipu.{ipu}.clock (MHz)", "MHz", "IPU clock", "IPU", "gcipuinfo", "Clock of the IPU."),
    Metric("ipu.{ipu}.ipu power (W)", "W", "IPU power", "IPU", "gcipuinfo", "Power of the IPU."),
    Metric("ipu.{ipu}.link speed (GT/s)", "GT/s", "IPU link speed", "IPU", "gcipuinfo", "Speed of the host link; sent once.", ("ipu.{ipu}.speed (GT/s)",)),
    Metric("ipu.{ipu}.{key}", "", "IPU {key}", "IPU", "gcipuinfo", "Any other numeric attribute; sent once."),
    Metric("tpu.{tpu}.memoryUsage", "%", "TPU memory", "TPU", "runtime metrics service", "High-bandwidth memory in use, relative to the total.", ("tpu.{tpu}.hbmMemoryUsage",)),
    Metric("tpu.{tpu}.memoryUsageBytes", "bytes", "TPU memory", "TPU", "runtime metrics service", "High-bandwidth memory in use.", ("tpu.{tpu}.hbmCapacityUsage",)),
    Metric("tpu.{tpu}.dutyCycle", "%", "TPU duty cycle", "TPU", "runtime metrics service", "Share of time during which the tensor core worked; one value per chip, shown for each of its devices."),
    Metric("tpu.{tpu}.tensorcoreIdleDuration", "s", "TPU idle", "TPU", "runtime metrics service", "Time since something last ran on the tensor core."),
    Metric("tpu.{tpu}.runtimeHbmUtilization", "%", "TPU memory bandwidth", "TPU", "runtime metrics service", "Use of the high-bandwidth memory, as reported by the runtime."),
    Metric("tpu", "%", "TPU use", "TPU", "TensorFlow profiler", "Use of the matrix units of a TPU reached over the network (`TPU_NAME`)."),
    Metric("trn.{core}.neuroncore_utilization", "%", "NeuronCore use", "Trainium", "neuron-monitor", "Use of a NeuronCore."),
    Metric("trn.host_total_memory_usage", "bytes", "Neuron host memory", "Trainium", "neuron-monitor", "Memory of the host that the Neuron runtime uses."),
    Metric("trn.neuron_device_total_memory_usage", "bytes", "Neuron device memory", "Trainium", "neuron-monitor", "Memory of the devices that the Neuron runtime uses."),
    *(
        Metric(f"trn.host_memory_usage.{part}", "bytes", f"Host memory: {name}", "Trainium", "neuron-monitor", f"Host memory used by {name}.", (f"trn.host_total_memory_usage.{part}",))
        for part, name in (("application_memory", "the application"), ("constants", "constants"), ("dma_buffers", "DMA buffers"), ("tensors", "tensors"))
    ),
    *(
        Metric(f"trn.{{core}}.neuroncore_memory_usage.{part}", "bytes", f"NeuronCore memory: {name}", "Trainium", "neuron-monitor", f"Core memory used by {name}.")
        for part, name in (("constants", "constants"), ("model_code", "the model's code"), ("model_shared_scratchpad", "the shared scratchpad"), ("runtime_memory", "the runtime"), ("tensors", "tensors"))
    ),
    Metric("openmetrics.{endpoint}.{metric}.{n}", "", "{endpoint}: {metric}", "OpenMetrics", "the endpoint", "A gauge or counter; n numbers the label sets in the order they were first seen, and the run's metadata lists the labels of each."),
]  # fmt: skip

_MIG = ("memoryAllocated", "memoryAllocatedBytes", *(metric.tag for metric in _GPU if metric.source == _GPM))


def _gpu_metrics() -> Iterator[Metric]:
    """Write out that a GPU's metrics exist for the GPU, for the watched processes, and partly for MIG instances."""
    for place, group, more in (
        ("gpu.{gpu}.", "GPU", ""),
        ("gpu.process.{gpu}.", "GPU of the process", " Only while a watched process uses the GPU."),
        ("gpu.{gpu}.mig.{mig}.", "MIG instance", " For one MIG instance."),
    ):
        for metric in _GPU:
            if group == "MIG instance" and metric.tag not in _MIG:
                continue
            source = metric.source if group == "GPU" else _NVML
            yield metric._replace(
                tag=place + metric.tag,
                group=group,
                source=source,
                text=metric.text + more,
                aliases=tuple(place + alias for alias in metric.aliases),
            )


METRICS: tuple[Metric, ...] = (*_HOST, *_gpu_metrics(), *_OTHER_GPU, *_ACCELERATORS)
"""All that the agent can send, without the prefix ``system.``."""


@lru_cache(maxsize=4096)
def describe(tag: str) -> Found | None:
    """Return the row of a tag as it is sent or as another client may send it, and what its placeholders stand for.

    >>> describe("system.gpu.0.temp/l:node-3").label
    'node-3'
    """
    bare, _, label = tag.partition("/l:")
    for name in (bare, bare[len("system.") :] if bare.startswith("system.") else ""):
        for pattern, metric in _patterns():
            match = pattern.fullmatch(name)
            if match:
                return Found(metric, match.groupdict(), label)
    return None


def title_of(found: Found) -> str:
    """Return the title of a chart, placeholders filled in."""
    return re.sub(r"{(\w+)}", lambda place: found.places.get(place[1], ""), found.metric.title)


@lru_cache(maxsize=1)
def _patterns() -> list[tuple[re.Pattern[str], Metric]]:
    return [(_pattern(tag), metric) for metric in METRICS for tag in (metric.tag, *metric.aliases)]


def _pattern(tag: str) -> re.Pattern[str]:
    parts = re.split(r"{(\w+)}", tag)
    return re.compile(
        "".join(
            f"(?P<{part}>{_PLACES.get(part, '.+')})" if odd % 2 else re.escape(part)
            for odd, part in enumerate(parts)
        )
    )


def as_markdown() -> str:
    """Return the page docs/use/agent-metrics.md."""
    from runyard_agent.exposition import prometheus_name

    lines = [
        "# Metrics of the agent",
        "",
        "<!-- Made by `runyard-agent metrics --markdown`; change agent/runyard_agent/metrics.py instead. -->",
        "",
        "What [the agent](agent.md) samples. A run's rows carry each tag with the prefix `system.`, and with the suffix",
        "`/l:<label>` where the agent has a label. A value that a device does not give is left out, never 0. MiB and GiB are",
        "units of 1024² and 1024³ bytes, whatever older tags are called. *Grows* marks counters, whose rate is of interest.",
        "[Prometheus](agent.md#prometheus) is told the same in base units, by the names in the last column.",
    ]
    for group in dict.fromkeys(metric.group for metric in METRICS):
        lines += [
            "",
            f"## {group}",
            "",
            "| Tag | Unit | What it is | From | Prometheus |",
            "|---|---|---|---|---|",
        ]
        for metric in METRICS:
            if metric.group == group:
                also = (
                    f" Also read as {', '.join(f'`{alias}`' for alias in metric.aliases)}."
                    if metric.aliases
                    else ""
                )
                text = metric.text + (" *Grows.*" if metric.cumulative else "") + also
                name = prometheus_name(metric)
                cells = (f"`{metric.tag}`", metric.unit, text, metric.source, name and f"`{name}`")
                lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines) + "\n"
