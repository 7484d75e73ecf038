"""Keys in the netrc file, as ``wandb login`` and ``runyard-agent login`` store them: the password of the server's host.

Source: wandb/sdk/lib/wbauth/wbnetrc.py of wandb 0.31.0.
"""

from __future__ import annotations

import os
import re
import shlex
import tempfile
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

_TOKEN = re.compile(r'"(?:\\.|[^"])*"|\S+')
_OF_MACHINE = ("login", "user", "account", "password")


def path_of(environment: Mapping[str, str] = os.environ) -> Path:
    """Return where the file is, or would be."""
    if environment.get("NETRC"):
        return Path(environment["NETRC"]).expanduser()
    home = Path(environment.get("HOME") or Path.home())
    windows = home / "_netrc"
    return windows if windows.exists() and not (home / ".netrc").exists() else home / ".netrc"


def key_for(url: str, environment: Mapping[str, str] = os.environ) -> str:
    """Return the key for a server, or nothing; a file that can't be read has none."""
    import netrc

    try:
        found = netrc.netrc(str(path_of(environment))).hosts.get(_machine(url))
    except (OSError, ValueError, netrc.NetrcParseError):
        return ""
    return (found[2] or "") if found else ""


def store(url: str, key: str, environment: Mapping[str, str] = os.environ) -> Path:
    """Write the key for a server, for its owner alone to read; all else in the file stays as it is.

    Raises:
        OSError: the file can't be read or written.
    """
    path = path_of(environment).resolve()  # a link stays one
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    machine = _machine(url)
    entry = f"machine {shlex.quote(machine)}\n  login user\n  password {shlex.quote(key)}\n"
    path.parent.mkdir(parents=True, exist_ok=True)
    descriptor, fresh = tempfile.mkstemp(prefix=f"{path.name}.", dir=path.parent)  # its mode is 0600
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(_with_entry(text, machine, entry))
        Path(fresh).replace(path)
    except BaseException:
        Path(fresh).unlink(missing_ok=True)
        raise
    return path


def _with_entry(text: str, machine: str, entry: str) -> str:
    """Put an entry in the place of the machine's own, else before ``default``, behind which nothing is read."""
    spots = _entries(text)
    kept, at = text, None
    for name, start, end in reversed(spots):
        if name == machine:
            kept, at = kept[:start] + kept[end:], start
    if at is None:
        at = next((start for name, start, _ in spots if name is None), len(kept))
    before = kept[:at] + ("\n" if at and kept[at - 1] != "\n" else "")
    return before + entry + kept[at:]


def _entries(text: str) -> list[tuple[str | None, int, int]]:
    """Return the name of each machine, None for ``default``, and from where to where in the text it is described."""
    found: list[tuple[str | None, int, int]] = []
    at = 0
    while token := _TOKEN.search(text, at):
        word, at = token.group(), token.end()
        if word == "machine":
            name, at = _value(text, at)
            found.append((name, token.start(), _past_line(text, at)))
        elif word == "default":
            found.append((None, token.start(), _past_line(text, at)))
        elif word in _OF_MACHINE:
            _, at = _value(text, at)
            if found:
                found[-1] = (*found[-1][:2], _past_line(text, at))
        elif word == "macdef":  # up to an empty line
            at = end if (end := text.find("\n\n", at)) >= 0 else len(text)
        elif word.startswith("#"):
            at = end if (end := text.find("\n", token.start())) >= 0 else len(text)
    return found


def _value(text: str, at: int) -> tuple[str, int]:
    token = _TOKEN.search(text, at)
    return (token.group().strip("\"'"), token.end()) if token else ("", len(text))


def _past_line(text: str, at: int) -> int:
    """Return where the next line begins, if nothing follows on this one."""
    return at + 1 if text[at : at + 1] == "\n" else at


def _machine(url: str) -> str:
    return urlsplit(url).netloc
