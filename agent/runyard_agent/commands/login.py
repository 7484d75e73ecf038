"""``runyard-agent login``."""

from __future__ import annotations

import argparse
import contextlib
import sys

from runyard_agent.commands.arguments import asking_server, settings_of
from runyard_agent.settings import Settings, SettingsError

HELP = "Check an API key, and store it where the agent and the SDK find it: in the netrc file."
EXAMPLES = (
    "",
    "--host https://runyard.example.com",
    "--host https://runyard.example.com < key.txt",
    "--relogin",
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--host", "--url", dest="url", metavar="URL", help="address of the Runyard server")
    parser.add_argument(
        "--key",
        metavar="KEY",
        help="the API key; others on this host can see it, unlike one that is typed or piped",
    )
    parser.add_argument("--relogin", action="store_true", help="ask for a key, even where a stored one works")
    parser.add_argument("--config", metavar="FILE", help="TOML file of settings, instead of your own")


def run(options: argparse.Namespace) -> int:
    from runyard_agent.logins import address_of, check_key, settings_for

    settings = settings_of(options)
    url = address_of(settings.url or _asked("Address of the Runyard server: ", "--host"))
    key = check_key(options.key) if options.key else ""
    return asking_server(lambda: _login(settings_for(url, file=options.config), key, options))


def _login(settings: Settings, key: str, options: argparse.Namespace) -> int:
    from runyard_agent.logins import check_key, keep, name_of, who_if_accepted

    is_asking = not key and sys.stdin.isatty()
    if is_asking and not options.relogin and settings.api_key and (name := who_if_accepted(settings)):
        print(f"Already logged in to {settings.url} as {name}.")
        print("To use another key: runyard-agent login --relogin")
        return 0
    if is_asking:
        print(f"Your API keys are at {settings.url}/settings/api-keys")
    key = key or check_key(_secret())
    name = name_of(settings, key)
    for line in keep(settings, key, file=options.config):
        print(line)
    print(f"Logged in to {settings.url} as {name}.")
    return 0


def _asked(question: str, flag: str) -> str:
    """Ask a person.

    Raises:
        SettingsError: there is nobody to ask.
    """
    if not sys.stdin.isatty():
        raise SettingsError(f"set url (RUNYARD_URL), or give {flag}")
    with contextlib.suppress(EOFError):
        return input(question).strip()
    return ""


def _secret() -> str:
    """Return a key that is typed, without showing it, or that is piped in."""
    if not sys.stdin.isatty():
        return sys.stdin.readline().strip()
    import getpass

    with contextlib.suppress(EOFError):
        return getpass.getpass("API key (hidden): ").strip()
    return ""
