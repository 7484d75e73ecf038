"""What someone else logged or saved cannot take a project's workspace away, in a real Chromium (RUN-26)."""

import itertools
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.hostile_names import NAMES, stored
from tests.installation import Installation
from tests.journeys.people import leave_with_env, sign_up
from tests.sdk.wire import Wire, history, row

pytestmark = pytest.mark.browser

_people = itertools.count()
SLOW = "^(a+)+$"
"""Takes a backtracking matcher days for the key below."""
LONG_KEY = "a" * 45 + "!"


@pytest.fixture
def owner(page: Page, server: Installation) -> Iterator["Owner"]:
    """Give someone with a project whose metrics have the names of a test."""
    name = f"faulty{next(_people)}"
    sign_up(page, server, name)
    wire = Wire(server.url, leave_with_env(page)["WANDB_API_KEY"])
    yield Owner(name, server.url, wire)
    wire.http.close()


class Owner:
    """Logs runs and saves views."""

    def __init__(self, name: str, url: str, wire: Wire) -> None:
        self.workspace = f"{url}/{name}/race"
        self._names = {"entity": name, "project": "race"}
        self._wire = wire

    def log(self, *keys: str) -> None:
        run = self._wire.begin("race", "first")
        self._wire.post(run, history(0, *(row(step, **dict.fromkeys(keys, 1.0 + step)) for step in range(9))))

    def save(self, *, shared: bool = True, **panels: Any) -> None:
        query = self._names | ({"shared": "1"} if shared else {})
        reply = self._wire.http.patch("/api/v1/views/working", params=query, json={"panels": panels})
        assert reply.status_code == 200, reply.text

    def saved(self) -> Any:
        return self._wire.http.get("/api/v1/views/working", params=self._names).json()["spec"]


def line_panel(name: str, **more: Any) -> dict[str, Any]:
    spec = {"id": f"added-{name}", "kind": "line", "source": "history", "section": "Charts", "rank": 0}
    return {f"added-{name}": spec | {"title": name, "keys": []} | more}


def test_a_pattern_that_takes_for_ever_leaves_the_page_alive(page: Page, owner: Owner) -> None:
    """The project's default has one; the others are drawn, and typing it into the search stops nothing either."""
    owner.log("loss", LONG_KEY)
    owner.save(panels=line_panel("evil", keysPattern=SLOW) | line_panel("good", keysPattern="^lo"))
    page.goto(owner.workspace)
    evil, good = (page.locator(f'.chart-card[data-key="added-{name}"]') for name in ("evil", "good"))
    expect(good.locator(".chart-above")).to_have_attribute("aria-label", re.compile("^good: "))
    expect(evil).to_contain_text("This pattern takes too long to match")
    loss = page.locator('.chart-card[data-key="loss"]')
    expect(loss.locator(".chart-above")).to_be_visible()
    search = page.locator("[data-page-search]")
    search.fill(SLOW)
    expect(page.locator("[data-no-match]")).to_contain_text("This pattern takes too long to match")
    search.fill("^los+$")
    expect(loss).to_be_visible()
    expect(evil).to_be_hidden()
    search.fill("")
    see_a_pattern_typed(page)


def see_a_pattern_typed(page: Page) -> None:
    """The form of a panel says what a pattern matches, or that it takes too long; the preview draws it."""
    page.click("[data-add-panel]")
    page.click(".panel-kind[data-kind=line]")
    page.get_by_role("button", name="Pattern", exact=True).click()
    pattern, dialog = page.get_by_label("Regular expression"), page.locator("#panel-dialog")
    pattern.fill(SLOW)
    expect(dialog.locator(".panel-remark.is-error")).to_have_text("This pattern takes too long to match.")
    pattern.fill("^lo")
    expect(dialog).to_contain_text("Matching keys: 1. loss")
    expect(dialog.locator(".chart-above")).to_have_attribute("aria-label", re.compile("^.*lo: "))


def test_names_of_what_all_objects_have_are_names_like_others(quiet: Page, owner: Owner) -> None:
    page = quiet
    owner.log("constructor", "toString/valueOf", "loss")
    page.goto(owner.workspace)
    for key in ("constructor", "toString/valueOf", "loss"):
        card = page.locator(f'.chart-card[data-key="{key}"]')
        expect(card.locator(".chart-above")).to_have_attribute("aria-label", re.compile(f"^{key}: "))
    expect(page.locator(".section-frame h2")).to_have_text(["Charts", "toString"])


def test_metrics_of_any_name_are_drawn(quiet: Page, owner: Owner) -> None:
    page, keys = quiet, {stored(key) for key in NAMES if not key.startswith("_")}
    owner.log(*keys)
    page.goto(owner.workspace)
    sections = page.locator(".chart-section")
    expect(sections.last).to_be_visible()
    for section in sections.all():
        if section.get_attribute("open") is None:
            section.locator("summary").click()
    cards = page.locator(".chart-card[data-key]")
    expect(cards).to_have_count(len(keys))
    assert set(cards.evaluate_all("cards => cards.map((card) => card.dataset.key)")) == keys
    for card in cards.all():
        card.scroll_into_view_if_needed()
        expect(card.locator(".chart-above")).to_have_attribute("aria-label", re.compile(": "))


def test_a_broken_panel_leaves_the_others_and_the_page_opens_without_any_view(
    page: Page, owner: Owner
) -> None:
    """What is changed without a view is in no saved one, until somebody saves it."""
    owner.log("loss")
    owner.save(panels=line_panel("broken", kind="markdown", content=7))
    page.goto(owner.workspace)
    loss = page.locator('.chart-card[data-key="loss"] .chart-above')
    expect(loss).to_be_visible()
    expect(page.locator('[data-key="added-broken"]')).to_contain_text("This panel cannot be drawn: ")
    owner.save(shared=False, view={"smoothing": {"kind": "ema", "amount": 0.5}})
    before = owner.saved()
    page.goto(f"{owner.workspace}?view=none")
    expect(loss).to_be_visible()
    expect(page.locator(".view-notice")).to_contain_text("without a saved view")
    expect(page.locator("[data-view=smoothing-value]")).to_have_value("0")
    page.locator("[data-view=columns]").evaluate(
        "field => { field.value = '1'; field.dispatchEvent(new Event('change', { bubbles: true })) }"
    )
    page.click("[data-views-open]")
    page.click("[data-view-act=save-as]")
    page.fill("#view-name", "Mended")
    page.click("#view-dialog [type=submit]")
    expect(page).to_have_url(re.compile(r"\?view=\d+"))
    expect(page.locator("[data-view=columns]")).to_have_value("1")
    assert owner.saved() == before
