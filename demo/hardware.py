"""Samples of hardware as the SDK posts them."""

from collections.abc import Collection, Sequence
from typing import Any
from uuid import NAMESPACE_DNS, uuid5

import numpy as np

GPU = "NVIDIA H100 80GB HBM3"


def run_environment(host: str, command: Sequence[str], *, gpus: int = 0) -> dict[str, Any]:
    """Return what an SDK says of where it runs, for the config's own part."""
    return {
        "cli_version": "0.31.0",
        "python_version": "3.11.9",
        "e": {
            "demo": {
                "os": "Linux-6.8.0-45-generic-x86_64-with-glibc2.39", "python": "CPython 3.11.9", "host": host,
                "program": command[0], "codePath": command[0], "args": list(command[1:]),
                "executable": "/opt/venv/bin/python", "cpu_count": 48, "cpu_count_logical": 96,
                "gpu": GPU if gpus else None, "gpu_count": gpus, "gpu_nvidia": cards(host, gpus),
                "memory": {"total": str(1024**3 * 1007)}, "cudaVersion": "13.0",
                "root": "/home/ada/models", "disk": {"/": {"total": str(1024**3 * 3520)}},
                "git": {"remote": "https://github.com/aurora-labs/models.git", "commit": "9f31c7e2a4"},
            }
        },
    }  # fmt: skip


def cards(host: str, count: int) -> list[dict[str, Any]]:
    """Return the GPUs of a host, the same ones every time."""
    return [
        {
            "name": GPU,
            "uuid": f"GPU-{uuid5(NAMESPACE_DNS, f'{host}.{index}')}",
            "memoryTotal": str(80 * 1024**3),
        }
        for index in range(count)
    ]


def samples(
    source: np.random.Generator,
    times: Sequence[float],
    began_at: float,
    *,
    gpus: int,
    label: str = "",
    held: Collection[int] = (),
) -> list[dict[str, Any]]:
    """Return a sample for each time (unix seconds), with the values of each of the GPUs.

    ``held`` are those on which processes of the run are; without any, all are in use.
    """
    suffix = f"/l:{label}" if label else ""
    found = []
    for at in times:
        part = min(1.0, (at - began_at) / 600)
        values: dict[str, float] = {
            "cpu": 35 + 10 * part + source.normal(scale=4),
            "memory_percent": 22 + 18 * part + source.normal(scale=0.4),
            "proc.memory.rssMB": 9000 + 22000 * part,
            "disk./.usagePercent": 61 + part,
            "network.sent": 2e6 * (at - began_at), "network.recv": 9e6 * (at - began_at),
        }  # fmt: skip
        for gpu in range(gpus):
            use = float(np.clip(source.normal(93, 5), 0, 100)) if source.random() > 0.03 else 12.0
            filled = 71 + 6 * part + gpu * 0.2
            if held and gpu not in held:
                use, filled = 0.0, 0.7
            if gpu in held:
                values[f"gpu.process.{gpu}.gpu"] = use
            values |= {
                f"gpu.{gpu}.gpu": use, f"gpu.{gpu}.memoryAllocated": filled,
                f"gpu.{gpu}.memoryAllocatedBytes": filled * 0.8 * 1024**3, f"gpu.{gpu}.temp": 48 + use / 5,
                f"gpu.{gpu}.powerWatts": 120 + 5.3 * use,
            }  # fmt: skip
        found.append(
            {f"system.{key}{suffix}": round(value, 3) for key, value in values.items()}
            | {"_timestamp": at, "_runtime": at - began_at, "_wandb": True}
        )
    return found
