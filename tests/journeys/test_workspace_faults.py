"""What someone else logged or saved cannot take a project's workspace away, in a real Chromium (RUN-26)."""

import itertools
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.installation import Installation
from tests.journeys.people import leave_with_env, sign_up
from tests.sdk.wire import Wire, history, row

pytestmark = pytest.mark.browser

_people = itertools.count()


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


def test_names_of_what_all_objects_have_are_names_like_others(quiet: Page, owner: Owner) -> None:
    page = quiet
    owner.log("constructor", "toString/valueOf", "loss")
    page.goto(owner.workspace)
    for key in ("constructor", "toString/valueOf", "loss"):
        card = page.locator(f'.chart-card[data-key="{key}"]')
        expect(card.locator(".chart-above")).to_have_attribute("aria-label", re.compile(f"^{key}: "))
    expect(page.locator(".section-frame h2")).to_have_text(["Charts", "toString"])


def test_the_page_opens_without_any_view(page: Page, owner: Owner) -> None:
    """What is changed without a view is in no saved one, until somebody saves it."""
    owner.log("loss")
    owner.save(panels=line_panel("added", keysPattern="^lo"))
    loss = page.locator('.chart-card[data-key="loss"] .chart-above')
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
