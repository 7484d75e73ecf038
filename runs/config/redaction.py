"""Values removed from a run after the fact (wish 49): named by key, and removed again whenever a client resends them.

A key is a dotted path after ``config.`` (what the user configured) or ``metadata.`` (what the SDK or agent said of the
machine and the command); it stands for all that lies under it.
"""

import json
from collections.abc import Collection, Iterable
from typing import Any

from django.utils.translation import gettext as _

from common.errors import Invalid
from common.formats.lenient_json import clean_text, read_lenient
from runs.models import Run

REDACTED = "[redacted]"
MAX_KEYS, MAX_KEY = 100, 512
_CONFIG, _METADATA = "config.", "metadata."
_COLUMNS = {
    "git.remote": "git_remote", "git.commit": "git_commit", "host": "host", "program": "program",
}  # fmt: skip
"""Parts of the metadata that runs also keep in columns of their own."""


def read_keys(texts: Iterable[str]) -> list[str]:
    """Return the keys in texts of one key a line.

    Raises:
        Invalid: none, too many, or one that is no key of config or metadata.
    """
    lines = (clean_text(line.strip()) for text in texts for line in text.splitlines())
    keys = list(dict.fromkeys(line for line in lines if line))
    for key in keys:
        if not key.startswith((_CONFIG, _METADATA)) or key in (_CONFIG, _METADATA) or len(key) > MAX_KEY:
            raise Invalid(
                _(
                    "Invalid key “%(key)s”. Keys begin with config. or metadata., and have up to %(limit)s characters."
                )
                % {"key": key[:80], "limit": MAX_KEY}
            )
    if not keys:
        raise Invalid(_("Enter at least one key, such as config.db.password or metadata.args."))
    return keys


def _paths(keys: Iterable[str], prefix: str) -> set[str]:
    return {key.removeprefix(prefix) for key in keys if key.startswith(prefix)}


def _redacted(value: Any, path: str, paths: Collection[str]) -> Any:
    if path in paths:
        return REDACTED
    if isinstance(value, dict):
        start = f"{path}." if path else ""
        return {key: _redacted(item, f"{start}{key}", paths) for key, item in value.items()}
    return [_redacted(item, path, paths) for item in value] if isinstance(value, list) else value


def redacted_metadata(metadata: dict[str, Any], keys: Collection[str]) -> dict[str, Any]:
    """Return what a machine said of itself without what is redacted."""
    paths = _paths(keys, _METADATA)
    shown: dict[str, Any] = _redacted(metadata, "", paths) if paths else metadata
    return shown


def redacted_config(text: str, keys: Collection[str]) -> str:
    """Return a config in the SDK's form without what is redacted; the very text where that changes nothing."""
    if not keys:
        return text
    config = read_lenient(text)
    if not isinstance(config, dict):
        return text
    paths = _paths(keys, _CONFIG)
    shown = {key: _redacted_entry(key, entry, paths) for key, entry in config.items()}
    own = config.get("_wandb")
    if isinstance(own, dict) and isinstance(own.get("value"), dict):
        shown["_wandb"] = own | {"value": _redacted_writers(own["value"], keys)}
    return text if shown == config else json.dumps(shown)


def _redacted_entry(key: str, entry: Any, paths: Collection[str]) -> Any:
    if isinstance(entry, dict) and "value" in entry:
        return entry | {"value": _redacted(entry["value"], key, paths)}
    return _redacted(entry, key, paths)


def _redacted_writers(own: dict[str, Any], keys: Collection[str]) -> dict[str, Any]:
    """Redact what each process that wrote to the run said of its machine."""
    writers = own.get("e")
    if not isinstance(writers, dict):
        return own
    return own | {
        "e": {
            name: redacted_metadata(metadata, keys) if isinstance(metadata, dict) else metadata
            for name, metadata in writers.items()
        }
    }


def redacted_columns(keys: Collection[str]) -> set[str]:
    """Return the columns of a run that metadata keys cover."""
    paths = _paths(keys, _METADATA)
    return {column for path, column in _COLUMNS.items() if path in paths or path.partition(".")[0] in paths}


def redacted_config_file(run: Run) -> bytes:
    """Return what ``config.yaml`` of a redacted run holds: its configuration as JSON, which is YAML too."""
    return json.dumps(read_lenient(run.config_text), indent=2).encode()


def redacted_metadata_file(content: bytes, keys: Collection[str]) -> bytes:
    """Return a metadata file without what is redacted; of one that cannot be read nothing is left."""
    try:
        metadata = read_lenient(content)
    except ValueError:
        metadata = {}
    return json.dumps(
        redacted_metadata(metadata, keys) if isinstance(metadata, dict) else {}, indent=2
    ).encode()
