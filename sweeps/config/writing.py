"""A configuration that comes as an object, as the YAML that people read."""

import json
from typing import Any

import yaml

from sweeps.config.document import read_config


def as_yaml(config: dict[str, Any]) -> str:
    """Return a configuration as YAML text, its keys in their order.

    Raises:
        Invalid: it is no sweep's; so it is known to be flat and small enough to be written.
    """
    read_config(json.dumps(config))
    return yaml.safe_dump(config, sort_keys=False, allow_unicode=True, width=110)
