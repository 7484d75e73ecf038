"""What someone else logged or saved cannot take a project's workspace away, in a real Chromium (RUN-26)."""

import itertools
import re
from collections.abc import Iterator

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
    """Logs runs."""

    def __init__(self, name: str, url: str, wire: Wire) -> None:
        self.workspace = f"{url}/{name}/race"
        self._wire = wire

    def log(self, *keys: str) -> None:
        run = self._wire.begin("race", "first")
        self._wire.post(run, history(0, *(row(step, **dict.fromkeys(keys, 1.0 + step)) for step in range(9))))


def test_names_of_what_all_objects_have_are_names_like_others(quiet: Page, owner: Owner) -> None:
    page = quiet
    owner.log("constructor", "toString/valueOf", "loss")
    page.goto(owner.workspace)
    for key in ("constructor", "toString/valueOf", "loss"):
        card = page.locator(f'.chart-card[data-key="{key}"]')
        expect(card.locator(".chart-above")).to_have_attribute("aria-label", re.compile(f"^{key}: "))
    expect(page.locator(".section-frame h2")).to_have_text(["Charts", "toString"])
