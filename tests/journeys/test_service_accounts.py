"""A service account in a real browser and with the real SDK, from making it to its key's end (TEAM-30 to TEAM-34)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.installation import Installation
from tests.journeys.people import sign_up
from tests.sdk.people import VERSION

pytestmark = [pytest.mark.browser, pytest.mark.sdk]

TRAIN = """
import wandb
run = wandb.init(project="mapping", id="{uid}", name="{uid}")
run.log({{"loss": 0.5}})
run.finish()
"""


def _new_key(page: Page) -> str:
    secret = page.locator(".secret code")
    expect(secret).to_be_visible()
    return secret.inner_text()


@pytest.mark.turns
def test_an_admin_makes_one_whose_key_logs_for_a_member_until_it_is_rotated(
    quiet: Page, server: Installation, sdk: Callable[[str], Path], run_script: Callable[..., Any]
) -> None:
    """TEAM-30, TEAM-34: through the invite page, by the buttons; the key is copied as it is shown."""
    page = quiet
    sign_up(page, server, "nadia")
    server.manage("create_organization", "survey-lab", "--admin", "nadia")
    server.manage("create_team", "surveyors", "--organization", "survey-lab", "--admin", "nadia")
    server.manage("create_user", "omar", "--email", "omar@example.com")
    server.manage("add_member", "surveyors", "omar", "--role", "member")

    page.goto(f"{server.url}/teams/surveyors/invite")
    page.get_by_role("link", name="Service").filter(has_text="no seat").click()
    page.get_by_label("Name").fill("night-owl")
    page.get_by_role("button", name="Create").click()
    expect(page.locator("h1")).to_have_text("night-owl")
    page.locator("#key_label").fill("cluster")
    page.locator("input[name=reach][value=log]").check()
    page.get_by_role("button", name="Create key").click()
    first = _new_key(page)

    env = {"WANDB_USERNAME": "omar", "WANDB_ENTITY": "surveyors"}
    python = sdk(VERSION)
    run_script(python, TRAIN.format(uid="night1"), {**server.client_env(first), **env})
    page.goto(f"{server.url}/surveyors/mapping/runs/night1/overview")
    expect(page.locator("#main")).to_contain_text("night-owl for omar")
    page.goto(f"{server.url}/surveyors/mapping/runs")
    expect(page.locator("#main")).to_contain_text("night-owl for omar")

    page.goto(f"{server.url}/teams/surveyors/service-accounts")
    page.get_by_role("link", name="night-owl").click()
    expect(page.locator("#main")).to_contain_text("night1")  # logged last
    page.get_by_role("button", name="Rotate cluster").click()
    page.get_by_label("Old key expires").select_option(label="Immediately")
    page.locator("dialog[open]").get_by_role("button", name="Rotate").click()
    second = _new_key(page)
    refused = run_script(python, TRAIN.format(uid="night2"), {**server.client_env(first), **env}, check=False)
    assert refused.returncode != 0
    run_script(python, TRAIN.format(uid="night3"), {**server.client_env(second), **env})
    page.goto(f"{server.url}/surveyors/mapping/runs")
    expect(page.locator("#main")).to_contain_text("night3")
    expect(page.locator("#main")).not_to_contain_text("night2")
