"""A sweep as people follow and steer it in a real Chromium, its runs logged by HTTP (RUN-50, RUN-51)."""

import json
import re

import pytest
from playwright.sync_api import Page, expect

from tests.installation import Installation
from tests.journeys.people import leave_with_env, sign_up
from tests.sdk.wire import Wire

pytestmark = pytest.mark.browser

CONFIG = """
name: widths
method: random
run_cap: 20
metric: {name: acc, goal: maximize}
parameters:
  lr: {min: 0.0, max: 1.0}
  width: {values: [16, 32]}
"""
NEW_SWEEP = """
mutation($config: String!) {
  upsertSweep(input: {projectName: "mine", entityName: "prospector", config: $config}) { sweep { name } }
}"""
NEW_RUN = """
mutation($name: String!, $sweep: String!, $config: JSONString, $summary: JSONString) {
  upsertBucket(input: {
    name: $name, displayName: $name, modelName: "mine", sweep: $sweep, config: $config, summaryMetrics: $summary
  }) { inserted }
}"""


def log_run(wire: Wire, sweep: str, number: int) -> None:
    """Let a run of the sweep log how good it is: the better, the larger its number."""
    config = {"lr": {"value": number / 10}, "width": {"value": 16}}
    wire.data(
        NEW_RUN,
        name=f"dig-{number}",
        sweep=sweep,
        config=json.dumps(config),
        summary=json.dumps({"acc": number}),
    )


def follow(page: Page, wire: Wire, sweep: str) -> None:
    """See runs arrive, and which of them is the best, on the page that is open."""
    expect(page.locator(".sweep-command")).to_contain_text(f"wandb agent prospector/mine/{sweep}")
    expect(page.get_by_text("No runs yet. Start an agent.")).to_be_visible()
    for number in range(1, 7):
        log_run(wire, sweep, number)
    best = page.locator(".sweep-card", has_text="Best run so far")
    expect(best.get_by_role("link", name="dig-6")).to_be_visible()
    expect(best.locator(".sweep-args")).to_contain_text("0.6")
    expect(page.locator(".sweep-runs tbody tr")).to_have_count(6)
    expect(page.get_by_text("6 of 20 runs")).to_be_visible()
    expect(page.get_by_role("img", name=re.compile("^Values of 6 runs"))).to_be_visible()


def brush(page: Page, wire: Wire, sweep: str) -> None:
    """Choose a range of an axis; it stays chosen while more runs come."""
    plot = page.locator("[data-chart=parallel] .panel-plot")
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    axis = box["x"] + 48
    page.mouse.move(axis, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(axis, box["y"] + box["height"] / 2, steps=4)
    page.mouse.up()
    kept = page.locator("[data-kept-runs]")
    expect(kept).to_have_text("3 of 6 runs in the brushed range")
    expect(page.locator(".sweep-runs tbody tr:visible")).to_have_count(3)
    log_run(wire, sweep, 0)
    expect(page.locator(".sweep-runs tbody tr")).to_have_count(7)
    expect(page.locator(".sweep-runs tbody tr:visible")).to_have_count(3)
    page.get_by_role("button", name="Clear the range of lr").click()
    expect(page.locator(".sweep-runs tbody tr:visible")).to_have_count(7)


def pause_and_resume(page: Page) -> None:
    """Pause the sweep, and let it go on."""
    page.get_by_role("button", name="Pause").click()
    expect(page.locator(".sweep-head .state-pill")).to_have_text("Paused")
    page.get_by_role("button", name="Resume").click()
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


def delete_and_undo(page: Page) -> None:
    """Delete the sweep with its runs, and bring all of it back."""
    page.get_by_role("button", name="More for this sweep").click()
    page.get_by_role("button", name="Delete…").click()
    page.get_by_label("Delete its runs, too").check()
    page.locator("#delete-sweep").get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Sweep “widths” deleted.")).to_be_visible()
    expect(page.get_by_role("heading", name="No sweeps yet")).to_be_visible()
    page.get_by_role("button", name="Undo").click()
    expect(page.get_by_role("heading", name="widths")).to_be_visible()
    expect(page.locator(".sweep-runs tbody tr")).to_have_count(7)


@pytest.mark.turns
def test_a_sweep_is_followed_brushed_paused_deleted_and_brought_back(
    quiet: Page, server: Installation
) -> None:
    """RUN-50, RUN-51: the page follows by itself, without a reload."""
    page = quiet
    sign_up(page, server, "prospector")
    wire = Wire(server.url, leave_with_env(page)["WANDB_API_KEY"])
    wire.begin("mine", "earlier")
    sweep = wire.data(NEW_SWEEP, config=CONFIG)["upsertSweep"]["sweep"]["name"]
    page.set_viewport_size({"width": 1440, "height": 1000})
    page.goto(f"{server.url}/prospector/mine/sweeps")
    page.get_by_role("link", name="widths").click()
    follow(page, wire, sweep)
    brush(page, wire, sweep)
    pause_and_resume(page)
    delete_and_undo(page)
    wire.http.close()
