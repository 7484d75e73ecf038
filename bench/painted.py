"""From acknowledgement to paint: three pages of a run in a real Chromium beside 47 other sockets that follow it.

Each page posts points in turn and sees when the last value of the line has been painted, so that one clock tells both.
The aim is 200 ms at the 95th percentile.
"""

import json
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from websockets.sync.client import connect
from websockets.typing import Origin

from access.actor import SYSTEM
from accounts.api_keys.services import create_api_key
from accounts.models import User
from bench import world
from bench.load.server import Server
from metrics.ingest.post import Post, PostedRows
from metrics.ingest.transaction import write_group
from runs.ingest.posts import RunPost
from runs.models import Project, Run
from tests.browser import QUIET, find_chromium, sign_in

NAME, PASSWORD = "painted", "as long as a password has to be"
PAGES, SOCKETS = 3, 50
POINTS, PAUSE_MS = 60, 250
"""Of all pages together, and between two of them."""
KEY = "train/loss"
_PATIENCE_MS = 30_000

_WATCH = """
key => {
  window.painted = new Map();
  const value = document.querySelector(`.chart-card[data-key="${key}"] .chart-value`);
  new MutationObserver(() => {
    const text = value.textContent;
    requestAnimationFrame(() => setTimeout(() => window.painted.set(text, performance.now())));
  }).observe(value, { childList: true, characterData: true, subtree: true });
}
"""
_LOG = """
async ([url, login, body, shown, patience]) => {
  const headers = { Authorization: `Basic ${btoa(login)}`, "Content-Type": "application/json" };
  const answer = await fetch(url, { method: "POST", headers, body });
  const acknowledged = performance.now();
  if (!answer.ok) throw new Error(`${answer.status} ${await answer.text()}`);
  while (!window.painted.has(shown)) {
    if (performance.now() > acknowledged + patience) throw new Error(`${shown} was not painted`);
    await new Promise(resolve => setTimeout(resolve, 5));
  }
  return window.painted.get(shown) - acknowledged;
}
"""


def _row(step: int) -> dict[str, float]:
    return {"_step": step, "_timestamp": 1.7e9 + step, "_runtime": step, KEY: 1000 - step}


def _begin(project: Project, user: User) -> Run:
    [run] = world.runs(project, 1)
    Run.objects.filter(pk=run.pk).update(user=user)
    rows = [_row(step) for step in range(2)]
    write_group([Post(run_id=run.pk, history=PostedRows.of(0, rows), run=RunPost(run_id=run.pk))])
    return run


@contextmanager
def _following(port: int, run: Run, cookie: str, count: int) -> Iterator[None]:
    """Hold sockets open that get what the run's pages get."""
    with ExitStack() as stack:
        for _ in range(count):
            stack.enter_context(
                connect(
                    f"ws://127.0.0.1:{port}/ws/runs/{run.pk}",
                    additional_headers={"Cookie": cookie},
                    origin=Origin(f"http://127.0.0.1:{port}"),
                    max_queue=None,  # nobody reads them
                )
            )
        yield


def _delays(pages: list[Page], url: str, key: str) -> list[float]:
    found = []
    for step in range(2, 2 + POINTS):
        page = pages[step % len(pages)]
        files = {"wandb-history.jsonl": {"offset": step, "content": [json.dumps(_row(step))]}}
        given = [url, f"api:{key}", json.dumps({"files": files}), str(1000 - step), _PATIENCE_MS]
        found.append(page.evaluate(_LOG, given))
        page.wait_for_timeout(PAUSE_MS)
    return sorted(found)


def run(home: Path) -> None:
    """Print milliseconds between a point's acknowledgement and its paint."""
    project = world.project(NAME)
    user = User.objects.get(username=project.team.name)
    user.set_password(PASSWORD)
    user.save()
    followed = _begin(project, user)
    key = create_api_key(actor=SYSTEM, owner=user, label=NAME)[1]
    with Server(home) as server, sync_playwright() as playwright:
        chromium = playwright.chromium.launch(executable_path=find_chromium(), args=QUIET)
        context = chromium.new_context(viewport={"width": 1440, "height": 900})
        pages = [context.new_page() for _ in range(PAGES)]
        url = f"http://127.0.0.1:{server.port}"
        sign_in(pages[0], url, user.username, PASSWORD)
        cookie = "; ".join(f"{one['name']}={one['value']}" for one in context.cookies())
        for page in pages:
            page.goto(f"{url}/{project.team.name}/{project.name}/runs/{followed.uid}")
            page.wait_for_selector(f'.chart-card[data-key="{KEY}"] canvas')
            page.evaluate(_WATCH, KEY)
        address = f"{url}/files/{project.team.name}/{project.name}/{followed.uid}/file_stream"
        with _following(server.port, followed, cookie, SOCKETS - PAGES):
            delays = _delays(pages, address, key)
        chromium.close()
    middle, slow = delays[len(delays) // 2], delays[int(len(delays) * 0.95)]
    print(
        f"{SOCKETS} sockets, {PAGES} of them pages: p50 {middle:.0f} ms, p95 {slow:.0f} ms, most {delays[-1]:.0f} ms"
    )
