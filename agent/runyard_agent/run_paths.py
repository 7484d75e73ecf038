"""Which run a person means: a path, or the address of its page."""

from __future__ import annotations

from typing import NamedTuple
from urllib.parse import unquote, urlsplit

from runyard_agent.settings import Settings, SettingsError


class NoRun(Exception):
    """The run is not there, not visible, or over; the message says which."""

    @classmethod
    def at(cls, path: RunPath) -> NoRun:
        """Return what is known of a run that the server does not show."""
        return cls(f"the run {path} does not exist, or this key has no access to it")


class RunPath(NamedTuple):
    """A run on a server; ``server`` is empty where only the settings name one."""

    server: str
    entity: str
    project: str
    uid: str

    def __str__(self) -> str:
        return f"{self.entity}/{self.project}/{self.uid}"


def run_path(text: str, settings: Settings) -> RunPath:
    """Read ``entity/project/run``, fewer parts where settings have the others, or the address of a run's page.

    Raises:
        SettingsError: it is none of these.
    """
    server = ""
    if "://" in text:
        parts = urlsplit(text)
        server, names = (
            f"{parts.scheme}://{parts.netloc}",
            [unquote(name) for name in parts.path.split("/") if name],
        )
        if len(names) < 4 or names[2] != "runs":
            raise SettingsError(f"{text} is not the address of a run: {server}/entity/project/runs/run")
        return RunPath(server, names[0], names[1], names[3].removeprefix(":"))  # ":.." is the run ".."
    names = text.split("/")
    names = [settings.entity, settings.project, ""][: 3 - len(names)] + names
    if len(names) != 3 or not all(names):
        raise SettingsError(
            f"{text or 'an empty path'} names no run: give entity/project/run, or the address of its page"
        )
    return RunPath(server, *names)


def on_server(path: RunPath, settings: Settings) -> Settings:
    """Return the settings with the run's own server where none is set.

    Raises:
        SettingsError: the run is on another server, to which the key must not go.
    """
    known = settings.url.rstrip("/")
    if path.server and known and path.server != known:
        raise SettingsError(
            f"the run is on {path.server}, but url is {settings.url}; the key is for that one alone"
        )
    if known or settings.api_key:
        return settings.replaced(url=path.server or known)
    from runyard_agent.netrc_file import key_for

    return settings.replaced(url=path.server, api_key=key_for(path.server))
