"""`wandb.Api().team(…)` invites, lists and takes back; the mail arrives and its link lets the invited in (TEAM-3)."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from tests import clients, sdks
from tests.installation import Installation
from tests.sdk.people import Person
from tests.waiting import until

pytestmark = pytest.mark.sdk

SCRIPT = r"""
import json, os, pathlib, wandb

name, address = os.environ["TEAM"], os.environ["ADDRESS"]
api = wandb.Api()
team = api.team(name)

def listed():
    team.load(force=True)
    return [[member.name, member.username, member.email, member.pending, member.admin] for member in team.members]

told = {"invited": [team.invite(address), team.invite("sdk-bob", admin=True), team.invite("nobody-at-all")]}
told["listed"] = listed()
told["service account"] = repr(team.create_service_account("bot"))
told["deleted"] = [member.delete() for member in team.members if member.username == "sdk-bob"]
told["again"] = [member.delete() for member in team.members if member.username == "sdk-bob"]
told["left"] = [row[0] for row in listed()]
told["member"] = [member.delete() for member in team.members if member.username == "sdk-carl"]
told["end"] = [row[0] for row in listed()]
pathlib.Path("told.json").write_text(json.dumps(told))
"""


READ = """
import json
from accounts.models import OutboxMail
print(json.dumps("".join(OutboxMail.objects.filter(to=%r).values_list("text", flat=True))))
"""


@pytest.fixture(scope="session")
def carl(server: Installation) -> None:
    server.manage("create_user", "sdk-carl", "--email", "sdk-carl@example.com")


def _link(server: Installation, address: str) -> str:
    """Return the path in the mail to the address; without a mail server the outbox keeps it."""

    def mailed() -> str:
        found = re.search(
            r"/invitations/\w{40}", server.manage("shell", "--no-imports", "-c", READ % address)
        )
        return found[0] if found else ""

    return str(until(mailed, f"the mail to {address}"))


def _join(server: Installation, link: str, username: str, address: str) -> httpx.Response:
    """Sign up by the link and accept, as a browser does."""
    with clients.client(base_url=server.url, follow_redirects=True) as browser:

        def post(page: str, **fields: str) -> httpx.Response:
            browser.get(page)
            token = {"csrfmiddlewaretoken": browser.cookies[server.cookie("csrf")]}
            return browser.post(fields.pop("to", page), data=fields | token)

        browser.get(link)
        post(
            "/accounts/signup/", username=username, email=address, password1="correct horse battery"
        ).raise_for_status()
        return post(link, to=f"{link}/accept").raise_for_status()


@pytest.mark.parametrize("version", sdks.newest())
@pytest.mark.usefixtures("bob", "carl", "team")
def test_a_team_invites_lists_and_takes_back(
    version: str,
    server: Installation,
    ada: Person,
    sdk: Callable[[str], Path],
    tmp_path: Path,
) -> None:
    team, newcomer = f"inviters-{version}", f"invited-{version}"
    address = f"{newcomer}@example.com"
    server.manage("create_team", team, "--organization", "sdk-institute", "--admin", ada.name)
    server.manage("add_member", team, "sdk-carl", "--role", "member")
    env = {**ada.env, "TEAM": team, "ADDRESS": address, "WANDB_SILENT": "true"}
    sdks.run_script(sdk(version), SCRIPT, env=env, cwd=tmp_path)
    told: dict[str, Any] = json.loads((tmp_path / "told.json").read_text())
    assert told["invited"] == [True, True, False]
    assert told["listed"] == [
        [address, None, address, True, False],
        ["sdk-bob", "sdk-bob", None, True, True],
        [ada.name, ada.name, f"{ada.name}@example.com", False, True],
        ["sdk-carl", "sdk-carl", "sdk-carl@example.com", False, False],
    ]
    assert told["service account"].startswith("<Member bot")
    assert (told["deleted"], told["again"]) == ([True], [False])
    assert told["left"] == [address, ada.name, "sdk-carl", "bot"]
    assert told["member"] == [True]
    assert told["end"] == [address, ada.name, "bot"]
    page = _join(server, _link(server, address), newcomer, address)
    assert page.url.path == f"/{team}"
    assert f"You are now a member of {team}" in page.text
