"""Runs with ids of strange characters in a real Chromium: their pages open, draw, and give files (RUN-1)."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
from playwright.sync_api import Page, expect

from tests import clients
from tests.installation import Installation
from tests.journeys.people import leave_with_env, sign_up

pytestmark = pytest.mark.browser

WRITER = "0123456789abcdef"
IDS = ('lr=0.1 50%41 "ü" a\\b <i>🚀', "..", "constructor")


class Logger:
    """Logs runs over REST."""

    def __init__(self, env: dict[str, str]) -> None:
        self.url = f"{env['WANDB_BASE_URL']}/api/v1/runs"
        self.auth = ("api", env["WANDB_API_KEY"])
        self.at: dict[str, str] = {}

    def post(self, url: str, body: dict[str, Any]) -> dict[str, Any]:
        reply = clients.request("POST", url, json=body, auth=self.auth)
        assert reply.is_success, reply.text
        return dict(reply.json())

    def begin(self, uid: str) -> str:
        """Begin a run with a file and some points; return the address of its page."""
        told = self.post(self.url, {"project": "ids", "uid": uid, "display_name": f"number {IDS.index(uid)}"})
        page = str(told["url"])
        self.at[uid] = f"{self.url}/{told['entity']}/ids/{page.rpartition('/')[2]}"
        self.log(uid, 0)
        [upload] = self.post(f"{self.at[uid]}/uploads", {"names": ["notes.txt"]})["uploads"]
        assert clients.request("PUT", upload["url"], content=uid.encode()).is_success
        return page

    def log(self, uid: str, first: int) -> None:
        """Log ten rows and lines."""
        numbers = range(first, first + 10)
        rows = [{"_step": n, "_timestamp": 1e9 + n, "_runtime": n, "loss": 1 / (n + 1)} for n in numbers]
        lines = [f"2026-11-22T10:00:00.000000 line {n} of {uid}" for n in numbers]
        parts = {"history": {"offset": first, "rows": rows}, "log": {"offset": first, "lines": lines}}
        self.post(f"{self.at[uid]}/stream", {"writer": WRITER, **parts})


@pytest.mark.turns
def test_a_run_with_a_strange_id_is_opened_drawn_and_downloaded(page: Page, server: Installation) -> None:
    sign_up(page, server, "ids-runner")
    logger = Logger(leave_with_env(page))
    urls = {uid: logger.begin(uid) for uid in IDS}
    table = re.sub(r"/[^/]*$", "", urls[IDS[0]])
    for uid, url in urls.items():
        page.goto(table)
        page.click(f'a[title="number {IDS.index(uid)}"]')
        expect(page.locator("[data-title]")).to_have_text(f"number {IDS.index(uid)}")
        assert unquote(page.url) == unquote(url)
        card = page.locator("[data-grid] .chart-card").first
        expect(card.locator("canvas").first).to_be_visible()
        page.click('[data-tab="5"]')
        log = page.locator("[data-log]")
        expect(log).to_contain_text(f"line 9 of {uid}")
        logger.log(uid, 10)  # and live
        expect(log).to_contain_text(f"line 19 of {uid}")
        page.click('[data-tab="6"]')
        page.click("a[data-preview] >> text=notes.txt")
        expect(page.locator(".preview")).to_contain_text(uid)
        with page.expect_download() as downloading:
            page.click(".preview a[download]")
        assert Path(downloading.value.path()).read_bytes() == uid.encode()
    page.goto(table.removesuffix("/runs"))
    expect(page.locator("[data-uid]")).to_have_count(len(IDS))
    expect(page.locator("[data-grid] .chart-card canvas").first).to_be_visible()
    page.locator('[data-uid="constructor"] [data-eye]').click()
    expect(page.locator('[data-uid="constructor"]')).to_have_class(re.compile("run-color-\\d"))
