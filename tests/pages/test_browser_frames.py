"""A run in a notebook's cell, in a real Chromium: what the SDK gives the cell, framed by a page of another origin."""

from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests import sdks
from tests.fakes.serving import serving
from tests.installation import Installation
from tests.journeys.people import leave_with_env, sign_up

pytestmark = [pytest.mark.browser, pytest.mark.sdk]

LOGS = """
import pathlib, wandb
with wandb.init(project="cells", id="k3v9", name="in-a-cell") as run:
    for step in range(5):
        run.log({"loss": 1 / (step + 1)})
pathlib.Path("cell.html").write_text(wandb.Api().run(run.path).to_html())
"""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def notebook(tmp_path: Path) -> Iterator[int]:
    """Serve the test's folder, and give the port."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(tmp_path))) as server:
        port = int(server.server_address[1])
        with serving(server):
            yield port


@pytest.fixture
def signed_in(
    page: Page,
    new_server: Callable[..., Installation],
    sdk: Callable[[str], Path],
    run_script: Callable[..., sdks.Ran],
) -> Page:
    """Sign up at 127.0.0.1, and log a run whose cell lies in the test's folder."""
    server = new_server(RUNYARD_FRAME_ANCESTORS="http://localhost:*,http://127.0.0.1:*")
    sign_up(page, server, "reader")
    run_script(sdk(sdks.newest()[-1]), LOGS, leave_with_env(page))
    return page


@pytest.mark.turns
def test_a_cell_shows_the_run_on_the_same_site_and_a_link_on_another(signed_in: Page, notebook: int) -> None:
    page, frame = signed_in, signed_in.frame_locator("iframe")

    page.goto(f"http://127.0.0.1:{notebook}/cell.html")
    expect(frame.get_by_role("heading", name="in-a-cell")).to_be_visible()
    expect(frame.locator(".chart-card canvas").first).to_be_visible()
    expect(frame.locator("form[method=post], .topbar, .rail")).to_have_count(0)

    page.goto(f"http://localhost:{notebook}/cell.html")
    with page.expect_popup() as opened:
        frame.get_by_role("link", name="Open in Runyard").click()
    expect(opened.value.get_by_role("heading", name="in-a-cell")).to_be_visible()
    assert "jupyter" not in opened.value.url
