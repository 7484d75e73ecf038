"""A model's way into a registry, and out of it, in real browsers, logged by a real SDK (ART-5, TEAM-21)."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, expect

from tests import clients, sdks
from tests.browser import listen_to
from tests.installation import Installation
from tests.journeys.people import sign_up
from tests.sdk.people import person
from tests.waiting import PATIENCE_S, until

pytestmark = [pytest.mark.browser, pytest.mark.sdk]

TRAINS = """
import wandb

with wandb.init(entity="kilns", project="firing", name="glaze") as run:
    model = wandb.Artifact("glaze", type="model")
    with model.new_file("weights.bin", mode="wb") as file:
        file.write(b"weights of the glaze")
    run.log_artifact(model).wait()
"""
REGISTRY = "/registry/pottery/model"
COLLECTION = "/pottery/wandb-registry-model/artifacts/model/best-glaze"


@pytest.fixture
def visitor(browser: Browser) -> Iterator[Page]:
    """Give a second person's browser; fail at the end if its console has said anything but that a page is missing."""
    context = browser.new_context()
    page = context.new_page()
    said = listen_to(page)
    yield page
    assert [line for line in said if "404" not in line and "403" not in line] == []
    context.close()


def log_a_model(server: Installation, sdk: Callable[[str], Path], folder: Path) -> str:
    """Let an operator make a team with a member who may log, who logs a model; return the member's key."""
    with person(server, "kiln-keeper") as keeper:
        server.manage("create_organization", "pottery", "--admin", "odile")
        server.manage("create_team", "kilns", "--organization", "pottery", "--admin", "odile")
        server.manage("add_member", "kilns", keeper.name, "--role", "member")
        server.manage("create_team", "throwers", "--organization", "pottery", "--admin", "odile")
        server.manage("add_member", "throwers", "viola", "--role", "view-only")
        process = sdks.start_script(sdk("0.31.0"), TRAINS, env=keeper.env, cwd=folder)
        out, _ = process.communicate(timeout=PATIENCE_S)
        assert process.returncode == 0, out
        return keeper.key


def protect_production(page: Page, server: Installation) -> None:
    page.goto(f"{server.url}{REGISTRY}/settings")
    page.get_by_label("Protect an alias").fill("production")
    page.get_by_role("button", name="Protect", exact=True).click()
    expect(page.locator(".tag-protected")).to_contain_text("production")


def link_the_model(page: Page, server: Installation) -> None:
    """From the version's page, into a collection that does not exist yet."""
    page.goto(f"{server.url}/kilns/firing/artifacts/model/glaze/v0")
    page.get_by_role("link", name="Link to registry").or_(
        page.get_by_role("button", name="Link to registry")
    ).first.click()
    page.get_by_label("Registry", exact=True).select_option(label="pottery / model")
    expect(page.get_by_text("Only registry admins can add these aliases there:")).to_be_visible()
    page.get_by_label("Collection", exact=True).fill("best-glaze")
    page.get_by_role("button", name="Link version").click()
    expect(page.get_by_text("Linked to pottery / model / best-glaze:v0")).to_be_visible()


def watch_the_alias(server: Installation, key: str) -> None:
    """Let an automation of the registry hear of the alias."""
    answer = clients.request(
        "POST", f"{server.url}/api/v1/automations/", auth=("api", key),
        json={
            "entity": "pottery", "project": "wandb-registry-model", "name": "Deploy",
            "event": "ADD_ARTIFACT_ALIAS", "filter": {"alias": "production"}, "action": "NO_OP",
        },
    )  # fmt: skip
    assert answer.status_code == 201, answer.text


def make_everyone_a_viewer(page: Page, server: Installation) -> None:
    """Let the organization only view and download from now on."""
    page.goto(f"{server.url}{REGISTRY}/members")
    everyone = page.get_by_label("Role of everyone in the organization")
    with page.expect_response(lambda answer: answer.request.method == "POST"):
        everyone.select_option(label="Viewer")
    page.goto(f"{server.url}{REGISTRY}/members")
    expect(everyone).to_have_value("viewer")


def give(page: Page, alias: str) -> None:
    page.get_by_placeholder("Add an alias").fill(alias)
    page.keyboard.press("Enter")


def test_from_a_run_to_production_and_to_a_viewer(
    quiet: Page, visitor: Page, server: Installation, sdk: Callable[[str], Path], tmp_path: Path
) -> None:
    page = quiet
    sign_up(page, server, "odile")
    sign_up(visitor, server, "viola")
    key = log_a_model(server, sdk, tmp_path)
    protect_production(page, server)
    link_the_model(page, server)
    watch_the_alias(server, key)

    # A view-only person of another team finds the registry, and changes nothing there whatever everyone's role is.
    visitor.goto(f"{server.url}/kilns/firing")
    expect(visitor.locator("#main")).to_contain_text("doesn’t exist")
    visitor.goto(f"{server.url}/registry")
    visitor.get_by_role("link", name="model", exact=True).click()
    visitor.get_by_role("link", name="best-glaze").click()
    visitor.get_by_role("link", name="v0").first.click()
    expect(visitor.locator("#main")).to_contain_text("best-glaze")
    expect(visitor.get_by_placeholder("Add an alias")).to_have_count(0)

    page.goto(f"{server.url}{COLLECTION}/v0")
    give(page, "production")
    expect(page.locator(".tag-protected").first).to_contain_text("production")

    def has_fired() -> bool:
        page.goto(f"{server.url}{REGISTRY}/automations")
        page.get_by_role("link", name="Deploy").click()
        return page.get_by_text("best-glaze").count() > 0

    until(has_fired, "the automation of the registry")

    # and downloads it as a viewer, without a way to the project that it comes from
    make_everyone_a_viewer(page, server)
    visitor.goto(f"{server.url}{COLLECTION}/v0")
    expect(visitor.locator(".tag-protected").first).to_contain_text("production")
    expect(visitor.get_by_placeholder("Add an alias")).to_have_count(0)
    visitor.goto(f"{server.url}{COLLECTION}/production/files")
    visitor.get_by_role("link", name="weights.bin", exact=True).click()
    with visitor.expect_download() as download:
        visitor.get_by_role("link", name="Download").first.click()
    assert Path(download.value.path()).read_bytes() == b"weights of the glaze"
    visitor.goto(f"{server.url}{COLLECTION}/v0")
    assert "kilns" not in visitor.inner_text("#main")
