"""RUN-50 in a real Chromium: a sweep is created from a template, broken, mended in the form, and edited."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.installation import Installation
from tests.journeys.people import leave_with_env, sign_up
from tests.sdk.wire import Wire

pytestmark = pytest.mark.browser

UPSERT = """
mutation Run($name: String, $config: JSONString) {
  upsertBucket(input: {name: $name, modelName: "tuned", config: $config}) { inserted }
}"""


@pytest.fixture
def editor(quiet: Page, server: Installation) -> Page:
    """Give the page of a new sweep, in a project with two finished runs of different rates."""
    page = quiet
    sign_up(page, server, "tuner")
    wire = Wire(server.url, leave_with_env(page)["WANDB_API_KEY"])
    for number in (1, 2):
        wire.data(UPSERT, name=f"r{number}", config=json.dumps({"rate": {"value": number / 4}}))
        wire.http.post(f"/files/tuner/tuned/r{number}/file_stream", json={"complete": True, "exitcode": 0})
    wire.http.close()
    page.goto(f"{server.url}/tuner/tuned/sweeps/new")
    return page


def text_of(page: Page) -> str:
    """Return the YAML as it stands."""
    return page.get_by_label("Configuration in YAML").input_value()


def expect_text(page: Page, pattern: str) -> None:
    """Wait until the YAML has this in it."""
    expect(page.get_by_label("Configuration in YAML")).to_have_value(re.compile(pattern))


def break_and_mend(page: Page) -> None:
    """See an error at its line and in the form as it is typed; mend it there; the comment beside it stays."""
    page.get_by_role("link", name="Grid").click()
    expect(page.get_by_role("radio", name="Grid")).to_be_checked()
    expect(page.locator("[data-summary]")).to_have_text("Total: 6 runs: every combination once.")
    area = page.get_by_label("Configuration in YAML")
    area.fill(text_of(page).replace("values: [16, 32]", "values: []  # powers of two"))
    problem = page.locator(".sweep-problem")
    expect(problem).to_contain_text("parameters.batch_size.values needs at least one value.")
    row = page.get_by_role("group", name="batch_size")
    expect(row.get_by_label("Values")).to_have_attribute("aria-invalid", "true")
    page.get_by_role("button", name="Create sweep").click()
    expect(area).to_be_focused()
    expect(page).to_have_url(re.compile("/sweeps/new$"))
    row.get_by_label("Values").fill("8, 16, 1e2")
    expect_text(page, r"values: \[8, 16, 100\.0\]  # powers of two")
    expect(problem).to_have_count(0)
    expect(page.locator("[data-left]")).to_contain_text("Comments stay")


def change_rows(page: Page) -> None:
    """Add a parameter, name it, choose how it is searched, and take another away."""
    page.get_by_role("button", name="Add parameter").click()
    expect(
        page.get_by_role("group", name="parameter_1").get_by_label("Name of the parameter")
    ).to_be_focused()
    page.keyboard.type("depth")
    page.keyboard.press("Tab")
    expect_text(page, "  depth:\n    values: ")
    row = page.get_by_role("group", name="depth")
    row.get_by_label("Kind of search").select_option("q_uniform")
    expect_text(page, "distribution: q_uniform\n    min: 1\n    max: 3\n    q: 1\n")
    row.get_by_label("Maximum").fill("4")
    expect_text(page, "max: 4\n")
    page.get_by_role("button", name="Remove lr").click()
    expect(page.locator("[data-summary]")).to_have_text("Total: 12 runs: every combination once.")
    page.get_by_label("Name", exact=False).first.fill("wide")
    expect_text(page, "^name: wide\n")


def start_from_earlier_runs(page: Page) -> None:
    """Take a template and have the text back; then let two runs propose a range."""
    before = text_of(page)
    page.get_by_label("Program").fill("fit.py")
    expect_text(page, "program: fit.py")
    page.get_by_role("link", name="Random").click()
    page.get_by_role("button", name="Undo").click()
    expect_text(page, "program: fit.py")
    assert text_of(page) == before.replace("train.py", "fit.py")
    page.get_by_role("button", name="Earlier runs").click()
    for box in page.locator(".sweep-run input").all():
        box.check()
    page.get_by_role("button", name="Use these runs").click()
    expect_text(page, r"rate:\n    distribution: uniform\n    min: 0\.25\n    max: 0\.5\n")
    expect(page.get_by_role("group", name="Learns from 2 earlier runs")).to_be_visible()


def test_a_sweep_is_created_in_the_browser_and_edited(editor: Page):
    page = editor
    break_and_mend(page)
    change_rows(page)
    page.get_by_role("button", name="Create sweep").click()
    page.wait_for_url(re.compile(r"/tuner/tuned/sweeps/\w{8}$"))
    expect(page.locator("main")).to_contain_text(f"wandb agent tuner/tuned/{page.url.rsplit('/', 1)[-1]}")
    page.goto(f"{page.url}/edit")
    expect(page.get_by_role("group", name="depth")).to_be_visible()
    page.get_by_label("Run cap").fill("5")
    expect_text(page, "\nrun_cap: 5\n")
    expect(page.locator("[data-summary]")).to_have_text("Total: 5 runs of 12 combinations.")
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(re.compile(r"/sweeps/\w{8}$"))
    page.goto(page.url.rpartition("/")[0] + "/new")
    start_from_earlier_runs(page)
