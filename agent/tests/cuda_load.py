"""Keeps an NVIDIA GPU busy by the driver's library alone: fills memory over and over.

``python cuda_load.py MIB SECONDS`` prints a line once the GPU is busy, and ends by itself.
"""

from __future__ import annotations

import ctypes
import sys
import time
from typing import Any, Callable

LIBRARY = "libcuda.so.1"
_MIB = 1024**2
_FILLS = 64
"""Queued at once, so that the GPU never waits for us: at 2 TB/s one of 1 GiB takes half a millisecond."""


class CudaError(Exception):
    """The driver refused a call; the message names it and the error."""


class Fill:
    """Memory of a GPU that can be filled.

    Args:
        cuda: the driver's library, or what stands for it.
        mib: how much memory is taken, in MiB.

    Raises:
        CudaError: there is no GPU, or it has not so much memory left.
    """

    def __init__(self, cuda: Any, *, mib: int, device: int = 0) -> None:
        self._cuda, self._words = cuda, mib * _MIB // 4
        self._device, self._context, self._memory = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_uint64()
        self._call("cuInit", 0)
        self._call("cuDeviceGet", ctypes.byref(self._device), device)
        self._call("cuDevicePrimaryCtxRetain", ctypes.byref(self._context), self._device)
        self._call("cuCtxSetCurrent", self._context)
        self._call("cuMemAlloc_v2", ctypes.byref(self._memory), ctypes.c_size_t(mib * _MIB))

    def once(self) -> None:
        """Fill the memory some times, and wait until that is done."""
        for value in range(_FILLS):
            self._call("cuMemsetD32_v2", self._memory, ctypes.c_uint(value), ctypes.c_size_t(self._words))
        self._call("cuCtxSynchronize")

    def close(self) -> None:
        self._call("cuMemFree_v2", self._memory)
        self._call("cuDevicePrimaryCtxRelease_v2", self._device)

    def _call(self, name: str, *arguments: Any) -> None:
        status = getattr(self._cuda, name)(*arguments)
        if status:
            raise CudaError(f"{name} failed with CUDA error {status}")


def keep_busy(
    cuda: Any,
    *,
    mib: int,
    seconds: float,
    tell: Callable[[str], None],
    clock: Callable[[], float] = time.monotonic,
) -> None:
    """Fill memory until the time is over; ``tell`` is called when the first filling is done."""
    fill = Fill(cuda, mib=mib)
    try:
        fill.once()
        tell("busy")
        end = clock() + seconds
        while clock() < end:
            fill.once()
    finally:
        fill.close()


if __name__ == "__main__":
    try:
        keep_busy(
            ctypes.CDLL(LIBRARY),
            mib=int(sys.argv[1]),
            seconds=float(sys.argv[2]),
            tell=lambda text: print(text, flush=True),
        )
    except (OSError, CudaError) as error:
        sys.exit(str(error))
