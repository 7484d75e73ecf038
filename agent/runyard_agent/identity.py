"""Which machine this is, and since when it runs."""

from __future__ import annotations

import contextlib
import hashlib
import re
import socket
from pathlib import Path

_MACHINE = ("etc/machine-id", "var/lib/dbus/machine-id")
_BOOT = "proc/sys/kernel/random/boot_id"
_NAME_LENGTH = 64


def host_id(root: Path = Path("/"), name: str | None = None) -> str:
    """Return an id of this host that may stand in a run's: its name, and some digits of its machine's id.

    The digits tell hosts of one name apart, the name tells copies of one disk apart. They are of a hash: machine-id(5)
    asks that the id itself be kept from others.
    """
    name = socket.gethostname() if name is None else name
    known = next(filter(None, (_text(root / path) for path in _MACHINE)), name)
    digits = hashlib.sha256(f"runyard-agent {known}".encode()).hexdigest()[:8]
    return f"{slug(name)[:_NAME_LENGTH]}-{digits}"


def boot_id(root: Path = Path("/")) -> str:
    """Return some digits that tell this boot from others."""
    known = _text(root / _BOOT)
    if known:
        return known.replace("-", "")[:12]
    return f"{boot_time():.0f}"


def boot_time() -> float:
    """Return when this host was started, in UTC seconds."""
    import psutil

    return float(psutil.boot_time())


def slug(text: str) -> str:
    """Return a text of the characters that ids of runs may have."""
    return re.sub(r"[^A-Za-z0-9_.-]+", "-", text) or "host"


def _text(file: Path) -> str:
    with contextlib.suppress(OSError):
        return file.read_text(encoding="ascii", errors="replace").strip()
    return ""
