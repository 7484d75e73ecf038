"""The configuration of a sweep as it is stored, read once for many requests."""

from functools import lru_cache

from sweeps.config.document import SweepConfig, read_config
from sweeps.models import Sweep

_read = lru_cache(maxsize=64)(read_config)


def config_of(sweep: Sweep) -> SweepConfig:
    """Return the configuration; what is stored was read before, so it is valid."""
    return _read(sweep.config_text)
