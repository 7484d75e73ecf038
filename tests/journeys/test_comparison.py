"""Runs side by side in a real Chromium while they run (RUN-29)."""

import contextlib
import itertools
import re

import pytest
from playwright.sync_api import Page, expect

from tests.installation import Installation
from tests.journeys.people import leave_with_env, sign_up
from tests.sdk.wire import Run, Wire, history, row

pytestmark = [pytest.mark.browser]

_people = itertools.count()


def log(wire: Wire, run: Run, start: int, loss: float) -> None:
    """Log ten steps and the summary as the SDK does, by one post."""
    posted = history(start, *(row(step, loss=loss) for step in range(start, start + 10)))
    posted["files"]["wandb-summary.json"] = {"offset": 0, "content": [f'{{"loss": {loss}}}']}
    assert wire.post(run, posted).status_code == 200


def test_a_comparison_follows_runs(quiet: Page, server: Installation) -> None:
    """RUN-29: values, lines and states change in place, and what somebody searches for stays."""
    page = quiet
    name = f"comparer{next(_people)}"
    sign_up(page, server, name)
    wire = Wire(server.url, leave_with_env(page)["WANDB_API_KEY"])
    with contextlib.closing(wire.http):
        see_it_follow(page, wire, f"{server.url}/{name}/race/compare")


def see_it_follow(page: Page, wire: Wire, url: str) -> None:
    """Open the comparison of a run that has logged and one that has not, and go on with the second."""
    first, second = wire.begin("race", "first"), wire.begin("race", "second")
    log(wire, first, 0, 0.75)
    page.goto(f"{url}?runs=first&runs=second&baseline=first")
    line = page.locator("tr[data-key=loss]")
    expect(line.locator("td").nth(0)).to_have_text("0.7500")
    expect(line.locator("td").nth(1)).to_have_text("")
    page.get_by_label("Search keys").fill("loss")
    log(wire, second, 0, 0.5)
    expect(line.locator("td").nth(1)).to_contain_text("0.5000")
    expect(line.locator("td").nth(1).locator(".delta")).to_contain_text("0.25")
    drawn = page.locator(".compare-charts .chart-above").first
    expect(drawn).to_have_attribute("aria-label", re.compile("2 lines"))
    wire.post(second, {"complete": True, "exitcode": 0})
    head = page.locator("thead [data-uid=second] .state-dot")
    expect(head).to_have_attribute("data-state", "finished")
    expect(page.get_by_label("Search keys")).to_have_value("loss")
    expect(page.locator("tbody[data-part=summary] tr:visible")).to_have_count(2)
