"""What the browser's main thread did, by Chromium's own trace."""

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from playwright.sync_api import Page

LONG_MS = 50.0
_CATEGORIES = ["toplevel", "devtools.timeline", "cc"]
_TASK, _FRAME = "ThreadControllerImpl::RunTask", "ProxyMain::BeginMainFrame"
_MAIN = "CrRendererMain"
_FRAMES = """() => {
  window.benchFrames = [];
  const next = (at) => { window.benchFrames?.push(at); if (window.benchFrames) requestAnimationFrame(next); };
  requestAnimationFrame(next);
}"""


@dataclass
class Trace:
    """Tasks of the main thread, its frames and the times between them, in milliseconds."""

    tasks_ms: list[float] = field(default_factory=list)
    """By the thread's own clock: a busy machine does not lengthen them."""
    frames_ms: list[float] = field(default_factory=list)
    """What of the tasks makes a frame: scripts before it, style, layout and paint."""
    waits_ms: list[float] = field(default_factory=list)

    def __str__(self) -> str:
        long = [task for task in self.tasks_ms if task > LONG_MS]
        text = f"longest task {max(self.tasks_ms, default=0):6.1f} ms, {len(long)} over {LONG_MS:.0f} ms"
        if self.waits_ms:
            median, late = np.percentile(self.waits_ms, [50, 99])
            text += f"; median frame {np.median(self.frames_ms):.1f} ms, one every {median:.1f} ms (p99 {late:.1f})"
        return text


def _main_thread(events: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what the page's main thread did: of all threads of this kind, the one that calls most functions."""
    mains = {
        (event["pid"], event["tid"])
        for event in events
        if event["name"] == "thread_name" and event["args"]["name"] == _MAIN
    }
    threads = Counter((event["pid"], event["tid"]) for event in events if event["name"] == "FunctionCall")
    page = next(thread for thread, _count in threads.most_common() if thread in mains)
    return [event for event in events if event["ph"] == "X" and (event["pid"], event["tid"]) == page]


def _durations(events: list[dict[str, Any]], name: str) -> list[float]:
    return [event.get("tdur", event["dur"]) / 1e3 for event in events if event["name"] == name]


@contextmanager
def recorded(page: Page, *, frames: bool = True) -> Iterator[Trace]:
    """Fill a trace with what a page does within the block; frames are counted if it stays one document."""
    browser = page.context.browser
    assert browser is not None
    trace = Trace()
    browser.start_tracing(page=page, categories=_CATEGORIES)
    if frames:
        page.evaluate(_FRAMES)
    yield trace
    if frames:
        at = page.evaluate("() => { const at = window.benchFrames; window.benchFrames = null; return at; }")
        trace.waits_ms = np.diff(at).tolist()
    events = _main_thread(json.loads(browser.stop_tracing())["traceEvents"])
    trace.tasks_ms, trace.frames_ms = _durations(events, _TASK), _durations(events, _FRAME)
