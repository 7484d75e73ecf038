"""Resolvers by what they are about; importing them binds them."""

import importlib


def bind() -> None:
    """Bind all resolvers to the schema's fields."""
    names = (
        "viewer", "organizations", "projects", "runs", "history", "files", "people", "charts", "automations",
        "integrations",
    )  # fmt: skip
    for name in names:
        importlib.import_module(f"wandb_api.resolvers.{name}")
