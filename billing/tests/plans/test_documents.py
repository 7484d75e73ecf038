"""BIL-3: docs/operate/billing.md says what a fresh installation has, and every variable is explained."""

import re
from decimal import Decimal
from typing import Any

import pytest
from django.conf import settings

from billing.models import Plan
from billing.plans.catalogue import SEEDS
from config.env import ROOT

GUIDE = (ROOT / "docs/operate/billing.md").read_text()
VARIABLE = re.compile(r"RUNYARD_\w+")
SWITCHES = {
    "Custom roles": "has_custom_roles", "View-only role": "has_view_only_role",
    "Service accounts": "has_service_accounts", "Automations": "has_automations", "SSO": "has_sso",
    "Audit log": "has_audit_log", "Usage alerts": "has_usage_alerts",
    "Several billing admins": "has_many_billing_admins",
}  # fmt: skip
AMOUNTS = {"Seats": "seats", "Tracked hours": "included_hours", "Storage, GB": "included_storage_gb",
           "Trace data, GB": "included_ingestion_gb"}  # fmt: skip
PRICES = {
    "An hour above": "hour_price_usd",
    "A GB above": "storage_price_usd",
    "A GB bought in advance": "extra_storage_price_usd",
    "Additional GB of trace data": "ingestion_price_usd",
}


def _table() -> dict[str, dict[str, str]]:
    """Return the cells of the seeds' table by row and plan."""
    text = GUIDE.partition("<!-- seeds")[2].partition("<!-- /seeds -->")[0]
    lines = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    ]
    names = lines[0][1:]
    return {line[0]: dict(zip(names, line[1:], strict=True)) for line in lines[2:]}


def _price(value: Decimal | None) -> str:
    return "–" if value is None else f"${value}"


@pytest.mark.parametrize("key", SEEDS)
def test_the_guide_shows_each_plan_of_a_fresh_installation(key: str):
    plan, table = Plan(key=key, **SEEDS[key]), _table()
    told: dict[str, Any] = {row: cells[plan.name] for row, cells in table.items()}
    assert told["Key"] == f"`{key}`"
    assert told["Price a month"] == f"${plan.price_usd}"
    for row, name in AMOUNTS.items():
        value = getattr(plan, name)
        assert told[row] == ("∞" if value is None else str(value)), row
    for row, name in PRICES.items():
        assert told[row] == _price(getattr(plan, name)), row
    for row, name in SWITCHES.items():
        assert told[row] == ("yes" if getattr(plan, name) else ""), row
    who = (
        "default of all"
        if plan.is_default
        else "chosen"
        if plan.is_offered
        else "by contract"
        if plan.by_contact
        else "given"
    )
    assert told["Who gets it"] == who


def test_the_guide_leaves_no_plan_out():
    assert set(_table()["Key"].values()) == {f"`{key}`" for key in SEEDS}
    assert [SEEDS[key.strip("`")]["rank"] for key in _table()["Key"].values()] == sorted(
        seed["rank"] for seed in SEEDS.values()
    )


def test_every_variable_of_billing_is_in_the_table():
    """BIL-3: settings nobody can read of are not set."""
    source = (ROOT / "config/settings/billing.py").read_text()
    explained = {line.split("`")[1] for line in (ROOT / "docs/operate/configure.md").read_text().splitlines()
                 if line.startswith("| `RUNYARD_")}  # fmt: skip
    assert set(VARIABLE.findall(source)) - explained == set()
    assert settings.ENFORCE_LIMITS is False, "limits inform until an operator says otherwise"


def test_what_is_of_enterprise_is_in_no_smaller_plan():
    """TEAM-20, TEAM-30."""
    for switch in ("has_custom_roles", "has_view_only_role", "has_service_accounts", "has_automations", "has_sso",
                   "has_audit_log"):  # fmt: skip
        assert {key for key, seed in SEEDS.items() if seed.get(switch)} == {"self-hosted", "enterprise"}, (
            switch
        )
