"""ALR-6 in a real Chromium: an automation is made with a preview beside it, changed, switched off, and read about."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import PATIENCE_MS, listen_to
from tests.factories import PASSWORD
from tests.installation import Installation
from tests.sdk.wire import Wire
from tests.test_browser_table import begin

pytestmark = pytest.mark.browser
END = {"complete": True, "exitcode": 1}


@pytest.fixture(scope="module", autouse=True)
def _patience() -> Iterator[None]:
    """Wait long for what must come; what a busy machine needs is no failure."""
    expect.set_options(timeout=PATIENCE_MS)
    yield
    expect.set_options(timeout=None)


@pytest.fixture(scope="module")
def wire(server: Installation) -> Iterator[Wire]:
    """Log two runs, one of which gets below a loss of 0.1."""
    server.manage("create_user", "autumn", "--email", "autumn@example.com", "--password", PASSWORD)
    wire = Wire(server.url, server.manage("create_api_key", "autumn")["api_key"])
    for uid, losses in (("good", [0.5, 0.2, 0.05]), ("poor", [0.9, 0.8, 0.7])):
        begin(wire, uid, {"lr": 1}, {"val/loss": losses[-1]}, ["baseline"] if uid == "good" else [])
        _log(wire, uid, losses)
    yield wire
    wire.http.close()


def _log(wire: Wire, uid: str, losses: list[float], start: int = 0, **more: Any) -> None:
    lines = [
        json.dumps({"val/loss": loss, "_step": step, "_timestamp": wire.now + step, "_runtime": float(step)})
        for step, loss in enumerate(losses, start)
    ]
    wire.stream("table", uid, {"files": {"wandb-history.jsonl": {"offset": start, "content": lines}}} | more)


@pytest.fixture
def page(wire: Wire, server: Installation, browser: Browser) -> Iterator[Page]:
    """Sign in; fail at the end if the console has said anything."""
    context = browser.new_context(reduced_motion="reduce", viewport={"width": 1440, "height": 900})
    page = context.new_page()
    page.set_default_timeout(PATIENCE_MS)
    said = listen_to(page)
    page.goto(f"{server.url}/accounts/login/")
    page.fill("[name=login]", "autumn")
    page.fill("[name=password]", PASSWORD)
    page.click("form.panel button[type=submit]")
    page.wait_for_url(f"{server.url}/")
    yield page
    assert said == []
    context.close()


def _make(page: Page, server: Installation) -> None:
    """Make one on a metric; the preview follows what is typed."""
    page.goto(f"{server.url}/autumn/table")
    page.get_by_role("link", name="Automations").click()
    page.get_by_role("link", name="New automation").click()
    preview = page.locator("#preview")
    expect(preview).to_contain_text("Fill in the event")
    metric = page.get_by_role("combobox", name="Metric")
    metric.press_sequentially("val")
    page.get_by_role("option", name="val/loss").click()
    expect(metric).to_have_value("val/loss")
    page.get_by_label("Value").fill("0.1")
    expect(preview).to_contain_text("1 time")
    expect(preview).to_contain_text("2 runs looked at")
    expect(preview.get_by_role("link")).to_have_text("a-run-with-quite-a-long-name-good")
    page.get_by_label("Only runs that meet a filter").fill('tags contains "late"')
    expect(preview).to_contain_text("Not once")
    page.get_by_label("Only runs that meet a filter").fill("")
    expect(preview).to_contain_text("1 time")
    expect(page.get_by_label("Of the last … values")).to_be_hidden()
    page.get_by_label("What of it").first.select_option("AVERAGE")
    expect(page.get_by_label("Of the last … values").first).to_be_visible()
    page.get_by_label("What of it").first.select_option("LAST")
    page.get_by_label("Do nothing but keep a record").check()
    page.get_by_role("button", name="Create automation").click()
    expect(page.locator(".field-error:visible")).to_contain_text("This field is required")
    expect(page.get_by_label("Value")).to_have_value("0.1")
    page.get_by_label("Name", exact=True).fill("Good enough")
    page.get_by_role("button", name="Create automation").click()
    expect(page.get_by_role("heading", name="Good enough")).to_be_visible()
    expect(page.locator(".automation-facts")).to_contain_text("val/loss < 0.1")


def test_one_is_made_with_a_preview_edited_switched_off_and_tells_what_it_did(
    page: Page, server: Installation, wire: Wire
) -> None:
    _make(page, server)
    _log(wire, "poor", [0.06], start=3)  # from here on the real thing happens
    acted = page.locator(".execution", has_text="a-run-with-quite-a-long-name-poor")
    for _ in range(60):
        page.reload()
        if acted.count():
            break
        page.wait_for_timeout(500)
    expect(acted).to_contain_text("val/loss = 0.06")
    acted.locator("summary").click(position={"x": 12, "y": 12})
    expect(acted).to_contain_text("only keeps a record")

    page.get_by_role("link", name="Edit").click()
    page.get_by_label("A run changes its state").check()
    expect(page.get_by_label("Value")).to_be_hidden()
    page.get_by_label("Finished", exact=True).check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".automation-facts")).to_contain_text(re.compile("Run finishes or fails or crashes"))

    page.get_by_role("link", name="All automations").click()
    switch = page.get_by_role("switch", name="Good enough")
    expect(switch).to_have_attribute("aria-checked", "true")
    switch.click()
    expect(switch).to_have_attribute("aria-checked", "false")
    page.reload()
    expect(switch).to_have_attribute("aria-checked", "false")

    page.get_by_role("link", name="Good enough").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No automation yet")).to_be_visible()
