"""Usability 3 of the review: ``login`` checks a key and stores it where the agent reads it."""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
import sys

import pytest
from recorded import until

from fake_server import KEY
from runyard_agent.logins import settings_for


def stored(run, **variables):
    """Return what the agent finds by itself."""
    shown = json.loads(run("config", "--json", **variables).stdout)
    return shown["url"]["value"], shown["api_key"]["from"]


def test_a_key_that_is_piped_in_is_checked_and_stored(run, fake, tmp_path):
    """The agent then needs nothing else; other entries stay, and a second key takes the place of the first."""
    netrc = tmp_path / "netrc"
    netrc.write_text("machine github.com login ada password secret\n")
    done = run("login", "--host", f"{fake.url}/", typed=f"{KEY}\n")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.endswith(f"Logged in to {fake.url} as ada.\n")
    assert KEY not in done.stdout
    assert stored(run) == (fake.url, str(netrc))
    assert stat.S_IMODE(netrc.stat().st_mode) == 0o600
    machine = fake.url.partition("://")[2]
    assert netrc.read_text() == (
        f"machine github.com login ada password secret\nmachine {machine}\n  login user\n  password {KEY}\n"
    )
    assert run("login", "--key", KEY).returncode == 0
    assert netrc.read_text().count(machine) == 1
    found = json.loads(run("doctor", "--json", "--without", "ipu").stdout)
    assert f"of ada ({netrc})" in [each["text"] for each in found]


@pytest.mark.parametrize(
    ("arguments", "typed", "code", "message"),
    [
        (["--host", "URL"], "wrong-key-1\n", 1, "refuses this key, so it was not stored"),
        (["--host", "URL"], "", 2, "no key was given"),
        (["--host", "URL"], "two words\n", 2, "this is not an API key"),
        (["--host", "example.com"], KEY, 2, "example.com is not the address of a server"),
        (["--host", "http://127.0.0.1:1"], KEY, 1, "can't be reached"),
        ([], KEY, 2, "set url (RUNYARD_URL), or give --host"),
    ],
)
def test_what_is_wrong_is_said_in_a_sentence_and_nothing_is_stored(
    run, fake, tmp_path, arguments, typed, code, message
):
    """Neither is the key repeated."""
    done = run("login", *(fake.url if each == "URL" else each for each in arguments), typed=typed)
    assert (done.returncode, done.stdout) == (code, "")
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert not typed.strip() or typed.strip() not in done.stderr
    assert not (tmp_path / "netrc").exists()
    assert not (tmp_path / "none").exists()


def test_what_is_used_instead_is_told(run, fake, tmp_path):
    """A variable that was set long ago wins over what was stored just now."""
    old = {"RUNYARD_API_KEY": "another-key"}
    done = run("login", "--host", fake.url, typed=KEY, **old)
    assert "But RUNYARD_API_KEY holds another key, which is used instead of this one." in done.stdout
    done = run("login", "--host", fake.url, typed=KEY, RUNYARD_URL="https://old.example.com")
    assert "But RUNYARD_URL names another server: https://old.example.com" in done.stdout


def test_the_address_is_stored_beside_what_else_is_set(run, fake, tmp_path):
    """The file of settings is the person's."""
    file = tmp_path / "none"
    file.write_text(
        '# mine\nurl = "https://old.example.com"\ninterval = 5\n[openmetrics]\nurl = "http://h"\n'
    )
    assert run("login", "--host", fake.url, typed=KEY).returncode == 0
    assert file.read_text() == (
        f'# mine\nurl = "{fake.url}"\ninterval = 5\n[openmetrics]\nurl = "http://h"\n'
    )


def test_at_a_terminal_the_key_is_asked_for_and_not_shown(environment, run, fake):
    """It asks for the server, too; somebody who is logged in is told so, and not asked again."""

    def talk(*answers: str, arguments: tuple[str, ...] = ()) -> str:
        ours, theirs = pty.openpty()
        command = [sys.executable, "-m", "runyard_agent", "login", *arguments]
        with subprocess.Popen(
            command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
        ) as process:
            os.close(theirs)
            shown = ""
            for answer in answers:
                shown += read_until(ours, ": ")
                os.write(ours, f"{answer}\n".encode())
            shown += read_until(ours, None)
        os.close(ours)
        assert process.returncode == 0, shown
        return shown

    shown = talk(fake.url, KEY)
    assert f"{fake.url}/settings/api-keys" in shown
    assert f"Logged in to {fake.url} as ada." in shown
    assert KEY not in shown
    assert f"Already logged in to {fake.url} as ada" in talk()
    assert "Logged in" in talk(KEY, arguments=("--relogin",))


def test_a_key_for_one_server_is_not_shown_to_another():
    """As a person with RUNYARD_API_KEY logs in to a second server."""
    environment = {"RUNYARD_URL": "https://first.example.com", "RUNYARD_API_KEY": "ry-first"}
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {**environment, "RUNYARD_CONFIG": "/nonexistent", "NETRC": "/nonexistent"}.items():
            patch.setenv(name, value)
        assert settings_for("https://first.example.com", file=None).api_key == "ry-first"
        assert settings_for("https://second.example.com", file=None).api_key == ""


def read_until(descriptor: int, end: str | None) -> str:
    """Return what a terminal shows up to a question, or up to its end."""
    shown = ""

    def is_there() -> bool:
        nonlocal shown
        try:
            shown += os.read(descriptor, 4096).decode()
        except OSError:  # the end, as Linux tells it
            return True
        return end is not None and shown.endswith(end)

    until(is_there)
    return shown
