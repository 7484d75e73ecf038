"""ALR-6 in a real Chromium: an automation is made with a preview beside it, changed, switched off, and read about."""

import re
import time
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser import listen_to, sign_in
from tests.factories import PASSWORD
from tests.installation import Installation
from tests.sdk.wire import Run, Wire, history, row
from tests.waiting import until

pytestmark = pytest.mark.browser


@pytest.fixture
def name(server: Installation) -> str:
    """Create somebody."""
    name = "autumn"
    server.manage("create_user", name, "--email", f"{name}@example.com", "--password", PASSWORD)
    return name


@pytest.fixture
def wire(server: Installation, name: str) -> Iterator[Wire]:
    """Log two runs, one of which gets below a loss of 0.1."""
    wire = Wire(server.url, server.manage("create_api_key", name)["api_key"])
    for uid, losses in (("good", [0.5, 0.2, 0.05]), ("poor", [0.9, 0.8, 0.7])):
        _log(wire, wire.begin("alarms", uid), losses)
    yield wire
    wire.http.close()


def _log(wire: Wire, run: Run, losses: list[float], start: int = 0) -> None:
    now = time.time()
    rows = [
        row(step, **{"val/loss": loss, "_timestamp": now + step}) for step, loss in enumerate(losses, start)
    ]
    assert wire.post(run, history(start, *rows)).status_code == 200


@pytest.fixture
def page(name: str, wire: Wire, server: Installation, browser: Browser) -> Iterator[Page]:
    """Sign in; fail at the end if the console has said anything."""
    context = browser.new_context(reduced_motion="reduce", viewport={"width": 1440, "height": 900})
    page = context.new_page()
    said = listen_to(page)
    sign_in(page, server.url, name, PASSWORD)
    yield page
    assert [one for one in said if "422" not in one] == []  # so is a form answered that is not whole
    context.close()


def _make(page: Page, project: str) -> None:
    """Make one on a metric; the preview follows what is typed."""
    page.goto(project)
    page.get_by_role("link", name="Automations").click()
    page.get_by_role("link", name="New automation").click()
    preview = page.locator("#preview")
    expect(preview).to_contain_text("Fill in the event")
    metric = page.get_by_role("combobox", name="Metric")
    metric.press_sequentially("val")
    page.get_by_role("option", name="val/loss").click()
    expect(metric).to_have_value("val/loss")
    page.locator("#id_threshold").fill("0.1")
    expect(preview).to_contain_text("1 time")
    expect(preview).to_contain_text("2 runs checked")
    expect(preview.get_by_role("link")).to_have_attribute("href", re.compile("/alarms/runs/good$"))
    page.get_by_label("Run filter").fill('tags contains "late"')
    expect(preview).to_contain_text("Never")
    page.get_by_label("Run filter").fill("")
    expect(preview).to_contain_text("1 time")
    expect(page.locator("#id_window")).to_be_hidden()
    page.locator("#id_aggregate").select_option("AVERAGE")
    expect(page.locator("#id_window")).to_be_visible()
    page.locator("#id_aggregate").select_option("LAST")
    page.get_by_label("Record only").check()
    page.get_by_role("button", name="Create automation").click()
    expect(page.locator(".field-error:visible")).to_contain_text("This field is required")
    expect(page.locator("#id_threshold")).to_have_value("0.1")
    page.get_by_label("Name", exact=True).fill("Good enough")
    page.get_by_role("button", name="Create automation").click()
    expect(page.get_by_role("heading", name="Good enough")).to_be_visible()
    expect(page.locator(".automation-facts")).to_contain_text("val/loss < 0.1")


def test_one_is_made_with_a_preview_edited_switched_off_and_tells_what_it_did(
    page: Page, server: Installation, wire: Wire, name: str
) -> None:
    _make(page, f"{server.url}/{name}/alarms")
    _log(wire, wire.begin("alarms", "poor"), [0.06], start=3)  # from here on the real thing happens
    of_run = page.locator(".execution", has=page.locator("[href$='/alarms/runs/poor']"))
    acted = of_run.filter(has_text="only keeps a record")  # says this once it was seen to

    def shown() -> bool:
        page.reload()
        expect(page.get_by_role("heading", name="Good enough")).to_be_visible()
        return acted.count() > 0

    until(shown, "the act")
    expect(acted).to_contain_text("Step 3: val/loss was 0.06, below 0.1.")
    acted.locator("summary").click()
    expect(acted.get_by_text("only keeps a record")).to_be_visible()

    page.get_by_role("link", name="Edit").click()
    page.get_by_label("A run changes state").check()
    expect(page.locator("#id_threshold")).to_be_hidden()
    page.get_by_label("Finished", exact=True).check()
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".automation-facts")).to_contain_text(re.compile("Run finishes or fails or crashes"))

    page.locator(".rail").get_by_role("link", name="Automations").click()
    switch = page.get_by_role("switch", name="Good enough")
    expect(switch).to_have_attribute("aria-checked", "true")
    switch.click()
    expect(switch).to_have_attribute("aria-checked", "false")
    page.reload()
    expect(switch).to_have_attribute("aria-checked", "false")

    page.get_by_role("link", name="Good enough").click()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("No automations yet")).to_be_visible()


@pytest.mark.turns
def test_an_automation_on_sweeps_asks_for_sweeps_and_not_for_runs(
    page: Page, server: Installation, name: str
):
    """RUN-50: only the fields of the event are there, and what was filled in is what it says."""
    page.goto(f"{server.url}/{name}/alarms/automations/new")
    expect(page.locator("#id_sweep")).to_be_hidden()
    page.get_by_text("Sweep events").click()
    page.get_by_label("A sweep finishes").check()
    expect(page.get_by_role("group", name="How it ends")).to_be_visible()
    page.get_by_label("Runs of a sweep fail").check()
    expect(page.get_by_role("group", name="How it ends")).to_be_hidden()
    for field in ("#id_run_name", "#id_collection", "#id_once_in_s"):
        expect(page.locator(field)).to_be_hidden()
    expect(page.get_by_text("Which sweeps")).to_be_visible()
    page.locator("#id_failed_percent").fill("25")
    page.locator("#id_sweep").fill("^lr-")
    expect(page.locator("#preview")).to_contain_text("0 sweeps checked")
    page.locator("[name=action][value=NO_OP]").check()
    page.get_by_label("Name", exact=True).fill("Sweeps that fail")
    page.get_by_role("button", name="Create automation").click()
    expect(page.locator(".automation-facts")).to_contain_text(
        "More than 25% of a sweep’s runs fail, of at least 5 that ended: ^lr-"
    )
