"""One module per source of metrics, and the list of all of them."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from runyard_agent.collecting import Collector
from runyard_agent.settings import Settings, SettingsError

if TYPE_CHECKING:
    from runyard_agent.processes import ProcessTree


def all_collectors(settings: Settings) -> list[Collector]:
    """Return every collector as the settings want it; which of them work here shows when they start.

    Raises:
        SettingsError: the process to watch does not exist, or a collector to leave out is unknown.
    """
    from runyard_agent.collectors.amd import Amd
    from runyard_agent.collectors.apple import Apple
    from runyard_agent.collectors.host import Host
    from runyard_agent.collectors.ipu import Ipu
    from runyard_agent.collectors.nvidia import Nvidia
    from runyard_agent.collectors.nvidia_smi import NvidiaSmi
    from runyard_agent.collectors.tpu import Tpu, TpuProfiler
    from runyard_agent.collectors.trainium import Trainium

    tree = _tree(settings)
    timeout_s, interval_s, gpus = settings.tool_timeout, settings.interval, settings.gpus
    rank = os.environ.get("LOCAL_RANK", "")
    collectors: list[Collector] = [
        Host(tree=tree, disk_paths=settings.disk_paths, per_core=settings.per_core, cgroup=settings.cgroup),
        Nvidia(tree=tree, gpus=gpus, host_proc=Path(settings.host_proc) if settings.host_proc else None),
        NvidiaSmi(gpus=gpus, timeout_s=timeout_s),
        Amd(source=settings.amd_source, timeout_s=timeout_s),
        Apple(interval_s=interval_s, timeout_s=timeout_s),
        Ipu(tree=tree),
        Tpu(address=settings.tpu_address, timeout_s=timeout_s),
        TpuProfiler(),
        Trainium(
            config=settings.neuron_config or None,
            tree=tree,
            local_rank=int(rank) if tree and rank.isdecimal() else None,
            interval_s=interval_s,
            timeout_s=timeout_s,
        ),
        *_endpoints(settings),
    ]
    names = {collector.name for collector in collectors}
    unknown = set(settings.without) - names
    if unknown:
        raise SettingsError(f"without: unknown collectors: {', '.join(sorted(unknown))}")
    return [collector for collector in collectors if collector.name not in settings.without]


def _endpoints(settings: Settings) -> list[Collector]:
    """Return what is read over HTTP; nothing of it is imported where nothing is set."""
    endpoints: list[Collector] = []
    if settings.dcgm:
        from runyard_agent.collectors.dcgm import Dcgm

        endpoints.append(
            Dcgm(settings.dcgm, headers=settings.openmetrics_headers, timeout_s=settings.tool_timeout)
        )
    if settings.openmetrics:
        from runyard_agent.collectors.openmetrics import OpenMetrics

        endpoints += [
            OpenMetrics(
                name,
                url,
                filters=settings.openmetrics_filters,
                headers=settings.openmetrics_headers,
                timeout_s=settings.tool_timeout,
            )
            for name, url in settings.openmetrics.items()
        ]
    return endpoints


def _tree(settings: Settings) -> ProcessTree:
    import psutil

    from runyard_agent.processes import ProcessTree

    try:
        return ProcessTree(settings.pid, descendants=settings.process_tree)
    except (psutil.Error, ValueError):
        raise SettingsError(f"pid: process {settings.pid} does not exist") from None
