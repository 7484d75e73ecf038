"""Resolvers of registries; importing this binds all of them."""

from wandb_api.resolvers.registries import changing, members, reading

__all__ = ["changing", "members", "reading"]
