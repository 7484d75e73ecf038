"""The page, the list by REST and the documentation of what is limited (wish 19)."""

import re
from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from access.actions import Preset
from access.limits.registry import LimitGroup, all_limits, limits_now
from accounts.models import User
from automations.models import Automation
from config.env import ROOT, RecordingEnv
from config.settings import limits as limits_of_settings
from runs.models import Project
from teams.management.limits_document import FILE, limits_page
from teams.models import Team, Visibility
from teams.teams.selectors import personal_team_of
from tests.factories import ProjectFactory, TeamFactory, UserFactory, actor, basic, make_key, make_member

NO_LIMITS = {
    "RUNYARD_CRASH_TIMEOUT_S": "when silence is a crash",
    "RUNYARD_DELETED_KEPT_DAYS": "how long a deletion can be undone",
    "RUNYARD_AUDIT_DAYS": "how long the audit log is kept",
    "RUNYARD_ALERT_GATHER_S": "how long alerts wait for each other",
    "RUNYARD_ALERT_HISTORY_DAYS": "how long what was sent is kept",
    "RUNYARD_FREE_DISK_MIB": "the server's own disk",
}
"""Settings beside those of limits that refuse nobody anything."""

pytestmark = pytest.mark.django_db


@pytest.fixture
def _fresh_cache():
    cache.clear()
    yield
    cache.clear()


def _asked(secret: str, **query: str) -> dict[str, dict[str, Any]]:
    answer = Client().get("/api/v1/limits/", query, headers={"Authorization": basic(secret)})
    assert answer.status_code == 200, answer.content
    return {row["key"]: row for row in answer.json()["results"]}


def _page(user: User, path: str) -> str:
    client = Client()
    client.force_login(user)
    answer = client.get(path)
    assert answer.status_code == 200
    return answer.content.decode()


def _row(page: str, key: str) -> str:
    found = re.search(rf'<tr id="{re.escape(key)}">(.*?)</tr>', page, re.DOTALL)
    assert found is not None, key
    return " ".join(re.sub(r"<[^>]+>", " ", found[1]).split())


def _automate(team: Team, project: Project | None, count: int) -> None:
    Automation.objects.bulk_create(
        Automation(team=team, project=project, name=f"{project or team} {n}", event="RUN_STATE")
        for n in range(count)
    )


def test_every_setting_of_a_limit_is_registered():
    """Wish 19: who adds a limit to the settings has to tell it."""
    text = (ROOT / "config/settings/limits.py").read_text()
    known = {limit.setting for limit in all_limits()} | NO_LIMITS.keys()
    assert set(re.findall(r'"(RUNYARD_\w+)"', text)) == known - {""}


def test_values_are_those_in_force(settings):
    """Wish 19: the page reads what enforces, not a copy of it."""
    settings.GRAPHQL_RATE, settings.AUTOMATIONS_MOST = 17, 3
    now = {limit.key: limit.value() for limit in all_limits()}
    assert (now["graphql.requests"], now["projects.automations"], now["team.automations"]) == (17, 3, 3)


def test_every_setting_moves_its_limit(settings):
    """Wish 19: a limit that names a setting reads it."""
    names = [
        name
        for name in dir(limits_of_settings)
        if name.isupper() and isinstance(getattr(settings, name), int)
    ]
    before = {limit.key: limit.value() for limit in all_limits()}
    for name in names:
        setattr(settings, name, getattr(settings, name) + 1)
    still = [limit.key for limit in all_limits() if limit.setting and limit.value() == before[limit.key]]
    assert still == []


@pytest.mark.usefixtures("_fresh_cache")
def test_requests_by_keys_of_the_account_are_measured(settings):
    """Wish 19: how near am I?"""
    settings.API_RATE = 50
    user = UserFactory()
    mine, other = make_key(user), make_key(user)
    _asked(other)
    for count in (2, 3, 4):
        row = _asked(mine)["rest.requests"]
        assert (row["used"], row["value"], row["unit"], row["setting"]) == (
            count,
            50,
            "per minute",
            "RUNYARD_API_RATE",
        )


@pytest.mark.usefixtures("_fresh_cache")
def test_the_page_names_the_busiest_key(settings):
    """Wish 19: a person learns which of their programs is near the limit."""
    settings.API_RATE = 5
    user = UserFactory()
    laptop, cluster = make_key(user, label="laptop"), make_key(user, label="cluster")
    for secret in (laptop, cluster, cluster, cluster, cluster):
        _asked(secret)
    page = _page(user, "/settings/limits")
    assert "5 per minute 5 100% cluster" in _row(page, "rest.requests")
    assert 'data-level="full"' in page


def test_without_redis_requests_are_not_measured(settings):
    """Wish 19: what cannot be known is not said to be nothing."""
    settings.CACHES = {"default": settings.CACHES["default"] | {"LOCATION": "unix:///nowhere/redis.sock"}}
    assert limits_now(actor(UserFactory()), None, {LimitGroup.REQUESTS})[0].used is None


def test_the_fullest_project_stands_for_a_team(settings):
    """Wish 19: of many projects that have a limit each, the one that is nearest to it."""
    settings.AUTOMATIONS_MOST = 5
    team = TeamFactory()
    busy, calm = ProjectFactory(team=team, name="busy"), ProjectFactory(team=team, name="calm")
    for where, count in ((busy, 4), (calm, 1), (None, 2)):
        _automate(team, where, count)
    page = _page(make_member(team), f"/teams/{team.name}/limits")
    assert "5 4 80% busy" in _row(page, "projects.automations")
    assert "5 2 40%" in _row(page, "team.automations")
    assert "RUNYARD_AUTOMATIONS_MOST" in _row(page, "team.automations")
    assert "rest.requests" not in page, "what holds for everybody is told once"


def test_nobody_learns_of_what_they_may_not_see(settings):
    """TEAM-24: neither a restricted project's name nor how many secrets there are."""
    team = TeamFactory()
    hidden = ProjectFactory(team=team, name="hidden", visibility=Visibility.RESTRICTED)
    _automate(team, hidden, 3)
    member = make_key(make_member(team))
    rows = _asked(member, entity=team.name)
    assert (rows["projects.automations"]["used"], rows["projects.automations"]["used_by"]) == (0, "")
    assert (rows["team.secrets"]["used"], rows["team.destinations"]["used"]) == (None, None)
    of_admin = _asked(make_key(make_member(team, Preset.ADMIN)), entity=team.name)
    assert (of_admin["team.secrets"]["used"], of_admin["team.destinations"]["used"]) == (0, 0)
    stranger = Client().get(
        "/api/v1/limits/", {"entity": team.name}, headers={"Authorization": basic(make_key(UserFactory()))}
    )
    assert stranger.status_code == 404


def test_a_rate_of_zero_is_no_limit(settings):
    """Wish 19: 0 reads as it works."""
    settings.RUN_POST_RATE = 0
    user = UserFactory()
    row = _asked(make_key(user))["logging.run_posts"]
    assert (row["value"], row["used"]) == (None, None)
    assert "no limit" in _row(_page(user, "/settings/limits"), "logging.run_posts")


def test_the_page_takes_as_many_queries_however_much_there_is(django_assert_max_num_queries):
    """Wish 19: measured cheaply."""
    user = UserFactory()
    team = personal_team_of(actor(user))
    assert team is not None
    for number in range(3):
        project = ProjectFactory(team=team, name=f"p{number}")
        _automate(team, project, 3)
        make_key(user, label=f"key{number}")
    with django_assert_max_num_queries(30):
        limits_now(actor(user), team)


def test_the_documentation_has_every_limit(settings):
    """Wish 19: docs/use/limits.md is made of what is registered."""
    for name in ("RUNYARD_API_RATE", "RUNYARD_GRAPHQL_RATE"):  # tests have none of their own
        setattr(settings, name.removeprefix("RUNYARD_"), RecordingEnv.known[name].default)
    assert FILE.read_text() == limits_page(), "run: manage.py write_limits"
