"""Charts that teams store: by name, replaced by the next of that name, seen by the team or by everybody (RUN-26)."""

import json

import pytest

from access.actions import Preset
from access.models import AuditEntry
from runs.charts import services
from runs.models import ChartAccess, StoredChart
from tests.factories import TeamFactory, UserFactory, actor, basic, make_key, make_member

pytestmark = pytest.mark.django_db

BARS = {"mark": "bar", "data": {"name": "wandb"}, "encoding": {"x": {"field": "${field:x}"}}}


@pytest.fixture
def team():
    return TeamFactory(name="vision")


@pytest.fixture
def ask(client):
    """Ask as a user, with their key: ``ask(user, "put", "vision/bars", spec={})``."""

    def send(user, method, path="", **body):
        headers = {"Authorization": basic(make_key(user))} if user else {}
        more = {"data": body, "content_type": "application/json"} if method == "put" else {}
        return getattr(client, method)(f"/api/v1/charts/{path}", headers=headers, **more)

    return send


def test_a_chart_is_saved_read_replaced_and_deleted_by_name(ask, team):
    ann = make_member(team)
    assert ask(ann, "put", "vision/bars", spec=BARS).status_code == 200
    assert json.loads(ask(ann, "get", "vision/bars").json()["spec"]) == BARS
    assert ask(ann, "put", "vision/bars", spec="{}", display_name="Bars").json()["spec"] == "{}"
    (row,) = ask(ann, "get", "?entity=vision").json()["results"]
    assert (row["name"], row["display_name"], row["access"]) == ("bars", "Bars", "private")
    assert ask(ann, "delete", "vision/bars").status_code == 204
    assert not StoredChart.objects.exists()
    done = [entry.after["done"] for entry in AuditEntry.objects.filter(action="chart.save").order_by("pk")]
    assert done == ["created", "changed", "deleted"]


def test_viewers_read_and_do_not_save_and_strangers_see_what_is_public(ask, team):
    viewer, stranger = make_member(team, Preset.VIEW_ONLY), UserFactory()
    for name, access in (("ours", ChartAccess.PRIVATE), ("known", ChartAccess.PUBLIC)):
        services.save_chart(actor=actor(make_member(team)), team=team, name=name, spec=BARS, access=access)
    assert ask(viewer, "get", "vision/ours").status_code == 200
    assert ask(viewer, "put", "vision/ours", spec={}).status_code == 403
    for anybody in (stranger, None):
        assert ask(anybody, "get", "vision/ours").status_code == 404
        assert ask(anybody, "get", "vision/known").status_code == 200
        assert [row["name"] for row in ask(anybody, "get", "?entity=vision").json()["results"]] == ["known"]


@pytest.mark.parametrize(
    ("name", "spec", "says"),
    [
        ("bars", "not json", "must be valid JSON"),
        ("bars", "[]", "must be a JSON object"),
        ("bars", "[" * 5000, "must be valid JSON"),
        ("a:b", "{}", "must have 1 to"),
        ("x" * 129, "{}", "must have 1 to"),
        ("bars", json.dumps({"a": "x" * 140_000}), "at most 128 KiB"),
    ],
)
def test_what_is_no_chart_is_refused_in_words(ask, team, name, spec, says):
    reply = ask(make_member(team), "put", f"vision/{name}", spec=spec)
    assert reply.status_code in {400, 413}
    assert says in reply.content.decode()


def test_a_team_that_allows_nothing_public_has_no_public_charts(ask, team):
    team.public_projects_allowed = False
    team.save()
    reply = ask(make_member(team), "put", "vision/bars", spec=BARS, access="public")
    assert reply.status_code == 409


def test_a_list_costs_the_same_for_many(ask, team, django_assert_num_queries):
    ann = make_member(team)
    for number in range(5):
        services.save_chart(actor=actor(ann), team=team, name=f"chart {number}", spec=BARS)
    ask(ann, "get", "?entity=vision")  # the key notes its first use
    headers = {"Authorization": basic(make_key(ann))}
    from django.test import Client

    with django_assert_num_queries(6, exact=False):
        assert len(Client().get("/api/v1/charts/?entity=vision", headers=headers).json()["results"]) == 5
