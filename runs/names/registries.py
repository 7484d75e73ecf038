"""How registries are named: projects to the SDK, with names that no ordinary project may have.

Source: wandb 0.31.0, ``wandb/sdk/artifacts/_validators.py`` (REGISTRY_PREFIX), ``wandb/sdk/wandb_run.py`` (link_model).
"""

from django.urls import register_converter
from django.urls.converters import StringConverter

PREFIX = "wandb-registry-"
"""Of an organization's registries."""
MODEL_REGISTRY = "model-registry"
"""The registry of one team, to which ``run.link_model`` links."""


class RegistryNameConverter(StringConverter):
    """A name that only registries have, as a segment of a path."""

    regex = rf"{PREFIX}[^/]+|{MODEL_REGISTRY}"


register_converter(RegistryNameConverter, "registry_name")


def is_registry_name(name: str) -> bool:
    """Say whether only a registry may have the name."""
    return name.startswith(PREFIX) or name == MODEL_REGISTRY
