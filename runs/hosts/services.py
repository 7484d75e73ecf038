"""Where runs run: kept when it is told, so that a page over a cluster reads no files and no configurations."""

import re
from dataclasses import asdict
from typing import Any

from common.formats.lenient_json import clean_tree, read_lenient
from runs.config.flatten import environments_in, sdk_part
from runs.config.redaction import REDACTED, redacted_metadata
from runs.hosts.gpus import gpus_in, whole
from runs.models import Run, RunHost

METADATA = "wandb-metadata.json"
ATTACHED = re.compile(r"runyard-hosts/[^/]+\.json")
"""Names of the metadata files of machines whose agent adds samples to a run that something else logs."""
MAX_METADATA_BYTES = 1024 * 1024
_MAX_HOSTS = 1024
"""Of one run."""


def record_hosts_of_config(run: Run, config_text: str | None) -> None:
    """Keep which machines a new configuration names; None leaves all as it is."""
    if config_text is None or '"e"' not in config_text:
        return
    for metadata in environments_in(sdk_part(config_text))[:_MAX_HOSTS]:
        _record_host(run, redacted_metadata(clean_tree(metadata), run.redacted_keys), {})


def describes_host(name: str) -> bool:
    """Say whether a file of this name tells of a machine."""
    return name == METADATA or ATTACHED.fullmatch(name) is not None


def record_hosts_of_file(run: Run, name: str, content: bytes) -> None:
    """Keep which machine an uploaded metadata file names; one that is no JSON object is only a file."""
    try:
        metadata = read_lenient(content)
    except ValueError:
        return
    if isinstance(metadata, dict):
        metadata = redacted_metadata(clean_tree(metadata), run.redacted_keys)
        _record_host(
            run,
            metadata,
            {"told": metadata} if name == METADATA else {"label": str(metadata.get("label") or "")[:256]},
        )


def _record_host(run: Run, metadata: dict[str, Any], more: dict[str, Any]) -> None:
    host = str(metadata.get("host") or run.host)[:256]
    if not host or host == REDACTED:
        return
    memory = metadata.get("memory")
    facts = {
        "os": str(metadata.get("os") or "")[:256],
        "cpu_count": _counted(metadata.get("cpu_count_logical")) or _counted(metadata.get("cpu_count")),
        "memory_bytes": whole(memory.get("total")) if isinstance(memory, dict) else None,
        "gpus": [asdict(gpu) for gpu in gpus_in(metadata)],
        **more,
    }
    known = {name: value for name, value in facts.items() if value}
    row, is_new = RunHost.objects.get_or_create(run=run, host=host, defaults=known)
    changed = [name for name, value in known.items() if getattr(row, name) != value]
    if is_new or not changed:
        return
    for name in changed:
        setattr(row, name, known[name])
    row.save(update_fields=changed)


def _counted(value: Any) -> int | None:
    count = whole(value)
    return count if count is not None and count < 2**31 else None
