"""Who is in the demo: an organization, three teams, six people, a program; made by the commands of ``manage.py``."""

import json
from io import StringIO
from typing import Any

from django.core.management import call_command
from django.db import OperationalError, ProgrammingError

from demo.progress import Progress

ORGANIZATION = "aurora-labs"
PASSWORD = "runyard demo"  # noqa: S105 - printed for whoever tries the demo
PEOPLE = {
    "ada": "Ada Moreau", "kenji": "Kenji Mori", "minseo": "Min-seo Park", "lena": "Lena Fischer", "tomas": "Tomás Rey",
    "grace": "Grace Oduya",
}  # fmt: skip
TEAMS = {
    "vision": {"ada": "admin", "kenji": "member", "minseo": "member"},
    "language": {"lena": "admin", "ada": "member", "tomas": "member"},
    "robotics": {"grace": "admin", "kenji": "member", "minseo": "view-only"},
}
"""Team to who is in it with which role."""
NAMES = {ORGANIZATION, *PEOPLE, *TEAMS}
LABEL = "demo"
PEOPLE_STEP = "people"


def _command(*words: str) -> dict[str, Any]:
    out = StringIO()
    call_command(*words, stdout=out)
    answer: dict[str, Any] = json.loads(out.getvalue())
    return answer


def require_free_names(names: set[str], progress: Progress) -> None:
    """Refuse a server on which some of the demo's names stand for somebody else.

    Raises:
        SystemExit: a name is taken by others, or by a demo of which the data folder says nothing.
    """
    from accounts.models import ApiKey, Name

    try:
        taken = sorted(Name.objects.filter(text__in=names).values_list("text", flat=True))
    except (OperationalError, ProgrammingError):  # no tables yet
        raise SystemExit(
            "There is no server to fill: start `make run` in another terminal, with the same RUNYARD_HOME and"
            " RUNYARD_PORT."
        ) from None
    if not taken:
        progress.forget()
        return
    if progress.has(PEOPLE_STEP):
        return
    if ApiKey.objects.filter(user__username="ada", label=LABEL).exists():
        raise SystemExit(f"The demo is here already: sign in as ada, password “{PASSWORD}”.")
    raise SystemExit(
        f"The demo needs names that are taken on this server: {', '.join(taken)}. Nothing was changed. "
        "Start an empty server for it: another RUNYARD_HOME and RUNYARD_PORT."
    )


def make_people() -> None:
    """Make them."""
    for name in PEOPLE:
        _command("create_user", name, "--email", f"{name}@aurora-labs.example", "--password", PASSWORD)
    _command("create_organization", ORGANIZATION, "--admin", "ada")
    for team, members in TEAMS.items():
        admin = next(name for name, role in members.items() if role == "admin")
        _command("create_team", team, "--organization", ORGANIZATION, "--admin", admin)
        for name, role in members.items():
            _command("add_member", team, name, "--role", role)
    _command("create_service_account", "vision", "nightly-bot")


def make_keys() -> dict[str, str]:
    """Return a new API key for each person, in place of the one that an earlier call made."""
    from accounts.models import ApiKey

    ApiKey.objects.filter(user__username__in=PEOPLE, label=LABEL).delete()
    return {name: _command("create_api_key", name, "--label", LABEL)["api_key"] for name in PEOPLE}
