"""Panels over all runs of a project in a real Chromium: what is chosen, brushed and kept (RUN-26)."""

import json
import re
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.installation import Installation
from tests.journeys.people import leave_with_env, sign_up
from tests.sdk.wire import Wire

pytestmark = pytest.mark.browser

RUNS = 104
"""More than the list reads at once."""
UPSERT = """
mutation Sweep($name: String, $config: JSONString, $summary: JSONString) {
  upsertBucket(input: {name: $name, modelName: "sweep", config: $config, summaryMetrics: $summary}) { inserted }
}"""
PANELS: dict[str, dict[str, Any]] = {
    "added-par": {"kind": "parallel", "columns": ["config.lr", "config.kind", "summary.acc"], "span": 2},
    "added-imp": {"kind": "importance", "columns": ["summary.acc"]},
    "added-sca": {"kind": "scatter", "columns": ["config.kind", "summary.acc", ""]},
    "added-cmp": {"kind": "compare"},
}
KEEP = """async panels => {
  const headers = { "Content-Type": "application/json", "X-CSRFToken": document.body.dataset.csrf };
  const { viewUrl } = document.querySelector("[data-workspace]").dataset;
  const { ok } = await fetch(viewUrl, { method: "PATCH", headers, body: JSON.stringify({ panels: { panels } }) });
  return ok;
}"""


@pytest.fixture
def sweep(quiet: Page, server: Installation) -> Page:
    """Give a page on a workspace of runs whose acc is 1 + lr / 100, with a panel of each kind over all runs."""
    page = quiet
    sign_up(page, server, "sweeper")
    wire = Wire(server.url, leave_with_env(page)["WANDB_API_KEY"])
    for at in range(RUNS):
        config = {
            "lr": {"value": at + 1},
            "kind": {"value": "odd" if at % 2 else "even"},
            "same": {"value": 1},
        }
        summary = {"acc": 1 + (at + 1) / 100}
        wire.data(UPSERT, name=f"r{at}", config=json.dumps(config), summary=json.dumps(summary))
    wire.http.close()
    page.goto(f"{server.url}/sweeper/sweep")
    common: dict[str, Any] = {
        "source": "history",
        "section": "Sweep",
        "rank": 0,
        "keys": [],
        "title": "panel",
    }
    panels = {name: {"id": name} | common | about for name, about in PANELS.items()}
    assert page.evaluate(KEEP, panels)
    page.reload()
    return page


def brush(card: Locator, axis: int, low: float, high: float) -> None:
    """Drag along an upright axis between two parts of its height, from the bottom."""
    box = card.locator("canvas").last.bounding_box()
    assert box is not None
    x = box["x"] + 48 + (box["width"] - 96) * axis / 2
    at = [box["y"] + box["height"] - 14 - (box["height"] - 44) * part for part in (low, high)]
    mouse = card.page.mouse
    mouse.move(x, at[0])
    mouse.down()
    mouse.move(x, at[1], steps=3)
    mouse.up()


def see_comparer(page: Page) -> None:
    """RUN-29: what differs between the runs drawn is copied as it is shown; one run alone has no differences."""
    compared = page.locator("[data-key=added-cmp]")
    compared.scroll_into_view_if_needed()
    expect(compared.locator("tbody th[scope=row]")).to_have_text(["lr", "acc"])  # they are of one kind
    compared.hover()
    compared.locator("[aria-haspopup=menu]").click()
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.locator("#panel-menu").get_by_role("menuitem", name="Copy as Markdown").click()
    expect(page.locator(".toast-note")).to_contain_text("Rows copied: 2")
    head, _rule, *lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert head.startswith("| Key | ")
    assert [line.split(" | ")[0] for line in lines] == ["| lr", "| acc"]
    page.locator("[data-uid] [data-only]").first.dispatch_event("click")
    expect(compared.locator("tbody")).to_have_text("No differences.")


def test_all_runs_are_compared_brushed_and_kept(sweep: Page) -> None:
    """RUN-26: brushes are in units of their axes, intersect, and narrow what is drawn; a choice outlasts a reload."""
    page = sweep
    count, narrowed = page.locator("[data-run-count]"), page.locator("[data-narrowed]")
    expect(count).to_have_text(f"10 of {RUNS} shown")
    with page.expect_response(re.compile("/views/working")):
        page.click("[data-show-all]")
    expect(count).to_have_text(f"{RUNS} of {RUNS} shown")
    page.reload()
    expect(count).to_have_text(f"{RUNS} of {RUNS} shown")
    with page.expect_response(re.compile("/views/working")):
        page.click("[data-hide-all]")
    expect(count).to_have_text(f"0 of {RUNS} shown")

    parallel, scatter = page.locator("[data-key=added-par]"), page.locator("[data-key=added-sca]")
    for card in (scatter, parallel):
        card.scroll_into_view_if_needed()
        expect(card.locator(".chart-value")).to_have_text(f"{RUNS} runs")
    brush(parallel, 2, 0.5, 0.98)  # acc from 1.525 to 2.02
    chip = parallel.locator(".tag", has_text="acc")
    expect(chip).to_contain_text(re.compile(r"acc: 1\.5\d* – 2\.0"))
    text, kept = chip.inner_text(), narrowed.locator("[data-narrowed-text]").inner_text()
    assert 45 <= int(kept.split()[0]) <= 53
    expect(scatter.locator(".chart-value")).to_have_text(f"{RUNS} runs")
    brush(parallel, 1, 0.8, 1.02)  # the upper one of two names
    expect(parallel.locator(".tag", has_text="kind")).to_have_text("kind: odd")
    expect(chip).to_have_text(text)  # the other axis still is the one of all runs
    assert 22 <= int(narrowed.locator("[data-narrowed-text]").inner_text().split()[0]) <= 27
    page.click("[data-draw-narrowed]")
    expect(count).to_have_text(re.compile(rf"2\d of {RUNS} shown"))
    parallel.locator(".tag", has_text="kind").locator("button").click()
    expect(narrowed.locator("[data-narrowed-text]")).to_have_text(kept)
    page.click("[data-clear-narrowing]")
    expect(narrowed).to_be_hidden()
    expect(parallel.locator(".tag")).to_have_count(0)

    see_comparer(page)

    panel = page.locator("[data-key=added-imp]")
    panel.scroll_into_view_if_needed()
    expect(panel.locator(".importance-key")).to_have_text(["lr", "kind"])  # not what is the same in all runs
    expect(panel.locator("tbody .importance-spearman").first).to_have_text("+1.00")
    panel.locator(".importance-key").first.click()
    expect(panel.locator("canvas")).to_be_visible()
    panel.locator("button", has_text="All parameters").click()
    expect(panel.locator(".importance-key").first).to_be_focused()
