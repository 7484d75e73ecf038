"""Resolvers of artifacts; importing this binds all of them."""

from wandb_api.resolvers.artifacts import collections, files, logging, reading, versions

__all__ = ["collections", "files", "logging", "reading", "versions"]
