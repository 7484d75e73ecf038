"""Resolvers by what they are about; importing them binds them."""

import importlib


def bind() -> None:
    """Bind all resolvers to the schema's fields."""
    for name in ("viewer", "projects", "runs", "history", "files", "people", "charts"):
        importlib.import_module(f"wandb_api.resolvers.{name}")
