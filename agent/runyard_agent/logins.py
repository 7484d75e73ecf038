"""Checks an API key with the server, and keeps it with the server's address."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path
from urllib.parse import urlsplit

from runyard_agent.netrc_file import key_for, store
from runyard_agent.server import Refused, Server
from runyard_agent.settings import Settings, SettingsError, default_file, load

_KEY = re.compile(r"[\x21-\x7e]{1,200}")
_URL_LINE = re.compile(r"^url[ \t]*=.*$", re.MULTILINE)


def address_of(text: str) -> str:
    """Return a server's address in the form in which it is kept: without a slash at its end.

    Raises:
        SettingsError: it is not one.
    """
    parts = urlsplit(text.strip())
    if parts.scheme not in {"http", "https"} or not parts.netloc:
        raise SettingsError(
            f"{text or 'an empty text'} is not the address of a server: https://runyard.example.com"
        )
    return f"{parts.scheme}://{parts.netloc}{parts.path.rstrip('/')}"


def settings_for(url: str, *, file: str | None) -> Settings:
    """Return the settings for a server, with the key that is known for it and no other's."""
    settings = load(file=file)
    if settings.url.rstrip("/") == url:
        return settings.replaced(url=url)
    return settings.replaced(url=url, api_key=key_for(url))


def check_key(key: str) -> str:
    """Return a key that a header and the netrc file can carry.

    Raises:
        SettingsError: it is none; what was typed is not repeated.
    """
    if not key:
        raise SettingsError("no key was given: type it, pipe it in, or give --key")
    if not _KEY.fullmatch(key):
        raise SettingsError("this is not an API key: it has spaces or other characters that keys don't have")
    return key


def name_of(settings: Settings, key: str) -> str:
    """Return whose key it is.

    Raises:
        Refused, Unreachable: the server does not accept it, or does not answer.
    """
    with closing(Server(settings.replaced(api_key=key))) as server:
        try:
            return str(server.who().get("username"))
        except Refused as error:
            message = f"{settings.url} refuses this key, so it was not stored: {error.message}"
            raise Refused(error.status, error.code, message) from None


def who_if_accepted(settings: Settings) -> str:
    """Return whose key is stored; nothing where the server refuses it.

    Raises:
        Unreachable: the server does not answer.
    """
    try:
        return name_of(settings, settings.api_key)
    except Refused:
        return ""


def keep(settings: Settings, key: str, *, file: str | None) -> list[str]:
    """Store a key, and the address where nothing else names it; return what was done, and what stands in the way.

    Args:
        file: the file of settings that was named.

    Raises:
        SettingsError: a file can't be written.
    """
    try:
        said = [f"The key is stored in {store(settings.url, key)}."]
        if load(file=file).url.rstrip("/") != settings.url:
            path = Path(file) if file else default_file()
            _keep_address(path, settings.url)
            said.append(f"The address is stored in {path}.")
    except (OSError, UnicodeDecodeError) as error:
        raise SettingsError(f"the key can't be stored: {error}") from None
    now = load(file=file)
    if now.url.rstrip("/") != settings.url:
        said.append(f"But {now.origin('url')} names another server: {now.url}")
    elif now.api_key != key:
        said.append(f"But {now.origin('api_key')} holds another key, which is used instead of this one.")
    return said


def _keep_address(path: Path, url: str) -> None:
    """Set ``url`` in a TOML file, and leave all else as it is."""
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    head = text[: match.start()] if (match := re.search(r"^\[", text, re.MULTILINE)) else text
    line = f"url = {json.dumps(url)}"
    fresh = _URL_LINE.sub(lambda _: line, head, count=1) if _URL_LINE.search(head) else f"{line}\n{head}"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(fresh + text[len(head) :], encoding="utf-8")
