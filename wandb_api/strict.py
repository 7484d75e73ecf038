"""Values as strict JSON: the SDK's Go reader refuses bare NaN tokens."""

import math
from typing import Any


def strict(value: Any) -> Any:
    """Return the value with non-finite numbers as the strings "NaN", "Infinity", "-Infinity"."""
    if isinstance(value, float):
        if math.isfinite(value):
            return value
        return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: strict(item) for key, item in value.items()}
    if isinstance(value, list):
        return [strict(item) for item in value]
    return value
