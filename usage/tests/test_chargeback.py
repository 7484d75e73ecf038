"""Chargeback: what teams would pay at the organization's own prices."""

import csv
import io
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
import time_machine
from django.test import Client

from access.actions import Preset
from access.models import AuditEntry
from access.web.requests import actor_of_user
from accounts.models import User
from common.errors import Forbidden, Invalid
from teams.models import Organization, Team
from tests.factories import (
    OrganizationFactory,
    ProjectFactory,
    TeamFactory,
    UserFactory,
    make_key,
    make_member,
)
from usage.chargeback.services import set_prices
from usage.models import InternalPrices
from usage.tests.usage_rows import metered, used

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 5, 16, 12, tzinfo=UTC)
URL = "/organizations/lab/billing/chargeback"
PRICES = {
    "gpu_hour_price": Decimal("1.85"),
    "storage_gb_price": Decimal("0.04"),
    "kwh_price": Decimal("0.31"),
}


@pytest.fixture(autouse=True)
def clock() -> Any:
    with time_machine.travel(NOW, tick=False):
        yield


@pytest.fixture
def olga() -> User:
    return UserFactory(username="olga")


@pytest.fixture
def vision(olga: User) -> Team:
    """A team of the organization whose billing admin is its creator, olga."""
    return TeamFactory(name="vision", organization=OrganizationFactory(name="lab", admin=olga), admin=olga)


@pytest.fixture
def priced(vision: Team, olga: User) -> Organization:
    assert vision.organization is not None
    set_prices(actor=actor_of_user(olga), organization=vision.organization, currency="EUR", **PRICES)
    return vision.organization


def test_gpu_hours_storage_and_energy_are_priced(
    client: Client, vision: Team, priced: Any, olga: User
) -> None:
    """BIL-5: storage by its mean over the whole month, of which half has passed."""
    speech = TeamFactory(name="speech", organization=priced)
    used(vision, date(2026, 4, 1), gb=31)
    used(vision, date(2026, 5, 3), gpu_hours=10, kwh=4)
    used(speech, date(2026, 5, 3), gpu_hours=1, hours=50)
    metered(NOW)
    client.force_login(olga)
    found = client.get(URL).context["found"]
    vision_row, speech_row = found.rows
    assert (vision_row.name.text, vision_row.cost.gb_months) == ("vision", Decimal("15.5"))
    assert vision_row.cost.total == Decimal("18.50") + Decimal("0.62") + Decimal("1.24")
    assert speech_row.cost.total == Decimal("1.85")
    assert found.total.total == Decimal("22.21")
    april = client.get(URL + "?month=2026-04").context["found"]
    assert april.rows[0].cost.gb_months == 31


def test_projects_and_teams_come_to_the_same(client: Client, vision: Team, priced: Any, olga: User) -> None:
    """BIL-5: the sum is rounded once."""
    for number in range(7):
        used(
            vision, date(2026, 5, 3), project=ProjectFactory(team=vision, name=f"p{number}"), gpu_hours=0.0027
        )
    metered(NOW)
    client.force_login(olga)
    teams, projects = (client.get(f"{URL}?by={by}").context["found"] for by in ("team", "project"))
    assert teams.total.total == projects.total.total == Decimal("0.03")
    assert len(projects.rows) == 7


def test_who_sees_and_who_changes(client: Client, vision: Team) -> None:
    """BIL-1: admins see, billing admins change; others find nothing."""
    assert vision.organization is not None
    admin = make_member(vision, Preset.ORGANIZATION_ADMIN)
    client.force_login(admin)
    assert client.get(URL).status_code == 200
    assert b"A usage admin can set them" in client.get(URL).content
    assert client.get(URL + "/prices").status_code == 403
    with pytest.raises(Forbidden):
        set_prices(actor=actor_of_user(admin), organization=vision.organization, currency="EUR", **PRICES)
    client.force_login(UserFactory())
    assert client.get(URL).status_code == 404


def test_prices_are_changed_by_a_form_and_written_down(client: Client, vision: Team, olga: User) -> None:
    """BIL-11: who, before and after; saving the same again writes nothing."""
    client.force_login(olga)
    body = {"currency": "EUR", "gpu_hour_price": "1.85", "storage_gb_price": "0.04", "kwh_price": "0.31"}
    for _time in range(2):
        assert client.post(URL + "/prices", body).status_code == 302
    assert client.post(URL + "/prices", body | {"kwh_price": "0.3255"}).status_code == 302
    first, second = AuditEntry.objects.filter(action="internal_prices.change").order_by("pk")
    assert first.before == {}
    assert second.before["kwh_price"] == "0.3100"
    assert second.after["kwh_price"] == "0.3255"
    assert second.organization_id == vision.organization_id
    assert b"0.3255" in client.get(URL + "/prices").content


@pytest.mark.parametrize(
    "wrong", [{"currency": "euro"}, {"kwh_price": "-1"}, {"kwh_price": "0.12345"}, {"gpu_hour_price": "1e9"}]
)
def test_wrong_prices_are_refused(client: Client, vision: Team, olga: User, wrong: dict[str, str]) -> None:
    """BIL-5: by the form, and by the service."""
    client.force_login(olga)
    body = {
        "currency": "EUR",
        "gpu_hour_price": "1.85",
        "storage_gb_price": "0.04",
        "kwh_price": "0.31",
    } | wrong
    assert client.post(URL + "/prices", body).status_code == 422
    assert not InternalPrices.objects.exists()
    values = {name: Decimal(body[name]) for name in PRICES}
    with pytest.raises(Invalid):
        set_prices(
            actor=actor_of_user(olga),
            organization=Organization.objects.get(),
            currency=body["currency"],
            **values,
        )


def test_without_samples_the_page_says_where_they_come_from(client: Client, vision: Team, olga: User) -> None:
    """UI-4."""
    client.force_login(olga)
    assert b"Nothing to charge this month" in client.get(URL).content
    used(vision, date(2026, 5, 3), gb=1)
    metered(NOW)
    assert b"No GPU samples yet" in client.get(URL).content
    used(vision, date(2026, 3, 3), gpu_hours=1)
    assert b"No GPU samples yet" not in client.get(URL).content


def test_a_month_as_csv(client: Client, vision: Team, priced: Any, olga: User) -> None:
    """BIL-5: amounts, and costs in their currency."""
    used(vision, date(2026, 5, 3), project=ProjectFactory(team=vision, name="=pets"), gpu_hours=2, kwh=1)
    metered(NOW)
    client.force_login(olga)
    text = client.get(URL + ".csv?by=project&month=2026-05").content.decode()
    (line,) = csv.DictReader(io.StringIO(text))
    assert (line["team"], line["project"], line["gpu_hours"]) == ("vision", "'=pets", "2.000000")
    assert (line["currency"], line["gpu_cost"], line["energy_cost"], line["cost"]) == (
        "EUR",
        "3.70",
        "0.31",
        "4.01",
    )


def test_small_amounts_have_smaller_units_in_rows_and_total(
    client: Client, vision: Team, priced: Any, olga: User
) -> None:
    """UI-7: not "0.0076"."""
    used(vision, date(2026, 5, 3), gpu_hours=0.025, kwh=0.0076, host_gpu_hours=0.5)
    metered(NOW)
    client.force_login(olga)
    page = client.get(URL + "?month=2026-05").content.decode()
    for said in ("1.50 min", "7.60 Wh", "30 min"):
        assert page.count(f">{said}</td>") == 2, said


def test_watched_hosts_stand_apart_and_cost_nothing(
    client: Client, vision: Team, priced: Any, olga: User
) -> None:
    """BIL-5, AGT-2: GPUs that only the agent sampled are in columns of their own, wherever use is shown."""
    used(vision, date(2026, 5, 3), gpu_hours=2, host_gpu_hours=30, host_kwh=4)
    metered(NOW)
    client.force_login(olga)
    (line,) = csv.DictReader(io.StringIO(client.get(URL + ".csv?month=2026-05").content.decode()))
    assert (line["gpu_hours"], line["cost"]) == ("2.000000", "3.70")
    assert (line["host_gpu_hours"], line["host_kwh"]) == ("30.000000", "4.000000")
    assert "Watched hosts" in client.get(URL + "?month=2026-05").content.decode()
    body = client.get("/api/v1/organizations/lab/chargeback?month=2026-05").json()
    assert (body["total"]["host_gpu_hours"], body["total"]["total"]) == (30.0, "3.70")
    usage = client.get("/api/v1/usage/?organization=lab&by=team").json()
    assert (usage["total"]["host_gpu_hours"], usage["total"]["gpu_hours"]) == (30.0, 2.0)


def test_programs_read_and_change_prices(client: Client, vision: Team, olga: User) -> None:
    """BIL-5: REST."""
    headers = {"Authorization": f"Bearer {make_key(olga)}"}
    path = "/api/v1/organizations/lab/internal-prices"
    assert client.get(path, headers=headers).json()["gpu_hour_price"] == "0.0000"
    changed = client.patch(path, {"currency": "JPY", "kwh_price": "31"}, "application/json", headers=headers)
    assert changed.json() == {
        "currency": "JPY", "gpu_hour_price": "0.0000", "storage_gb_price": "0.0000", "kwh_price": "31.0000"
    }  # fmt: skip
    used(vision, date(2026, 5, 3), gpu_hours=2, kwh=1)
    metered(NOW)
    body = client.get("/api/v1/organizations/lab/chargeback?month=2026-05", headers=headers).json()
    assert body["total"]["total"] == "31.00"
    assert body["results"][0]["team"] == "vision"
    assert client.get("/api/v1/organizations/lab/chargeback?by=moon", headers=headers).status_code == 400
