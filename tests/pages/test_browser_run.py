"""The run page in a real Chromium, its runs logged by the real SDK (RUN-40 to RUN-44)."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests import sdks
from tests.installation import Installation
from tests.journeys.people import leave_with_env, sign_up
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.browser, pytest.mark.sdk]

TOKEN = "hf_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z"

PNG = r"""
def png(size, blue):
    rows = b"".join(b"\0" + bytes(v for x in range(size) for v in (x * 4, y * 4, blue)) for y in range(size))
    part = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", size, size, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + part(b"IHDR", head) + part(b"IDAT", zlib.compress(rows)) + part(b"IEND", b"")
"""

LOGS = f"""
import wandb, zlib, struct, pathlib
{PNG}
config = {{"optimizer": {{"name": "adamw", "lr": 0.1 + 0.2}}, "hub": {{"token": "{TOKEN}"}}, "layers": [1, 2]}}
with wandb.init(project="pages", id="rich", config=config, tags=["base"], notes="first **try**") as run:
    print("logging with", "{TOKEN}")
    for step in range(6):
        values = {{"loss": 1 / (step + 1), "note": f"words at {{step}}",
                  "weights": wandb.Histogram(np_histogram=([1, 2 + step, 1], [0, 1, 2, 3]))}}
        if step % 2 == 0:
            pathlib.Path(f"{{step}}.png").write_bytes(png(48, step * 40))
            values["picture"] = wandb.Image(f"{{step}}.png", caption=f"picture {{step}}")
            table = wandb.Table(columns=["animal", "legs"], data=[["spider", 8], ["hen", 2], ["cat", 4 + step]])
            values["animals"] = table
            values["page"] = wandb.Html("<h1>Page</h1><script>document.body.append('ran ' + origin)</script>")
        run.log(values)
        print("line of step", step)
"""

FAILS = """
import wandb
with wandb.init(project="pages", id="failed") as run:
    run.log({"loss": 1.0})
    print("\\x1b[31mabout to fail\\x1b[0m")
    raise RuntimeError("CUDA out of memory. Tried to allocate 2.00 GiB")
"""


KINDS = (
    "import json, pathlib, struct, wandb, wave, zlib"
    + PNG
    + r"""
def keep(name, content):
    path = pathlib.Path("kept", "media", name)
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    run.save(str(path), base_path="kept", policy="now")
    return f"media/{name}"
def sound(path):
    with wave.open(path, "wb") as file:
        file.setparams((1, 2, 8000, 0, "NONE", ""))
        file.writeframes(b"\0\1" * 800)
    return pathlib.Path(path).read_bytes()
atom = f"HETATM    1  O   HOH A   1    {0:8.3f}{0:8.3f}{0:8.3f}  1.00  0.00           O"
pathlib.Path("water.pdb").write_text(atom + "\nEND\n")
pathlib.Path("face.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n")
figure = {"data": [{"type": "heatmap", "z": [[1, float("nan")], [2, 3]]}], "layout": {"title": {"text": "Heat"}}}
span = {"type": "object", "name": "Range1d", "id": "r", "attributes": {"start": 0, "end": 1}}
plot = {"type": "object", "name": "Plot", "id": "p", "attributes": {"x_range": span, "y_range": span | {"id": "s"}}}
document = {"title": "", "version": "3.10.0", "roots": [plot]}
with wandb.init(project="pages", id="kinds") as run:
    of = lambda kind, name, content, **more: {"_type": kind, "path": keep(name, content), **more}
    sounds = [of("audio-file", f"audio/{n}.wav", sound(f"{n}.wav"), caption=f"tone {n}") for n in range(2)]
    masks = {"pred": of("mask", "images/mask/m.png", png(8, 1))}
    box = {"position": {"minX": 0, "minY": 0, "maxX": 4, "maxY": 4}, "domain": "pixel", "class_id": 1}
    found = {"box_data": [box | {"scores": {"iou": iou}} for iou in (0.2, 0.8)], "class_labels": {"1": "hen"}}
    boxes = {"found": of("boxes2D", "metadata/boxes2D/b.boxes2D.json", json.dumps(found))}
    run.log({
        "tones": {"_type": "audio", "count": 2, "audio": sounds},
        "pages": [wandb.Html("<p>first</p>"), wandb.Html("<p>second</p>")],
        "figure": of("plotly-file", "plotly/f.plotly.json", json.dumps(figure)),
        "bokeh": of("bokeh-file", "bokeh/b.bokeh.json", json.dumps(document)),
        "water": wandb.Molecule("water.pdb", caption="one atom"),
        "faces": [wandb.Object3D("face.obj"), wandb.Object3D("face.obj")],
        "masked": of("image-file", "images/i.png", png(8, 9), width=8, height=8, masks=masks, boxes=boxes),
        "graph": of("graph-file", "graph/g.graph.json", json.dumps({"nodes": [{"id": "a", "class_name": "Dense"}]})),
        "weights": wandb.Histogram(np_histogram=([1, 2, 1], [0, 1, 2, 3])),
    })
"""
)
DRAWN = {
    "tones": "audio >> nth=1",
    "masked": ".media-layers canvas",
    "graph": "td >> text=Dense",
    "weights": "canvas >> nth=0",
}
DRAWN_IN_FRAMES = {
    "pages": "text=first",
    "figure": ".heatmaplayer image",
    "bokeh": ".bk-Figure, .bk-Plot",
    "water": "canvas",
    "faces": "canvas",
}
"""What each kind of media looks like when it is drawn, by the key of the run above."""


@pytest.fixture
def env(page: Page, server: Installation) -> dict[str, str]:
    """Sign somebody up; return what their SDK needs."""
    sign_up(page, server, "runner")
    return leave_with_env(page)


def overview(page: Page, url: str) -> None:
    """RUN-40: facts, types, full precision, search, and edits that stay."""
    page.goto(f"{url}/overview")
    tree = page.locator("#config")
    expect(tree.locator('[data-path="optimizer.lr"] .tree-value')).to_have_attribute(
        "title", re.compile("0.30000000000000004")
    )
    page.fill('[data-tree-part="config"] [data-tree-search]', "adam")
    expect(tree.locator(".tree-value")).to_have_count(1)
    expect(page.locator("[data-secrets]")).to_contain_text("hub.token")
    assert TOKEN not in page.content()
    page.click("[data-begin-edit]")
    page.fill("input[name=display_name]", "a better name")
    page.keyboard.press("Enter")
    expect(page.locator("[data-title]")).to_have_text("a better name")
    page.fill("input[name=add]", "keep")
    page.keyboard.press("Enter")
    expect(page.locator('[data-tag="keep"]')).to_be_visible()
    page.click('[data-remove="base"]')
    expect(page.locator('[data-tag="base"]')).to_have_count(0)
    page.click("[data-begin-notes]")
    page.fill("textarea[name=notes]", "second *try*")
    expect(page.locator("[data-save-state]")).to_have_text("Saved")
    page.reload()
    expect(page.locator(".notes em")).to_have_text("try")
    expect(page.locator("[data-title]")).to_have_text("a better name")
    expect(page.locator('[data-tag="keep"]')).to_be_visible()


def code(page: Page, url: str) -> None:
    """The Code tab: parts are opened in place, packages searched."""
    page.goto(f"{url}/code")
    page.click(".code-links a >> text=Environment")
    expect(page.locator("#environment-title")).to_be_visible()
    page.click(".code-links a >> text=Python packages")
    page.fill("[data-packages-search]", "wandb")
    expect(page.locator('[data-package^="wandb "]')).to_be_visible()
    expect(page.locator("[data-packages-count]")).to_contain_text(" of ")


def media(page: Page, url: str) -> None:
    """RUN-42: one slider for pictures, tables, histograms, texts and pages; panels of a section share the step."""
    page.goto(f"{url}/media")
    expect(page.locator("[data-media-cards] .media-card")).to_have_count(5)
    picture = page.locator('[data-key="picture"]')
    expect(picture.locator("figcaption")).to_have_text("picture 4")
    expect(page.locator('[data-key="note"] pre')).to_have_text("words at 5")
    page.keyboard.press("ArrowLeft")
    expect(page.locator('[data-key="note"] pre')).to_have_text("words at 4")
    for _ in range(2):
        page.keyboard.press("ArrowLeft")
    expect(picture.locator("figcaption")).to_have_text("picture 2")
    expect(picture.locator("img")).to_have_js_property("naturalWidth", 48)
    table = page.locator('[data-key="animals"]')
    expect(table.locator("tbody tr")).to_have_count(3)
    table.locator("th button >> text=legs").click()
    expect(table.locator("tbody tr td").first).to_have_text("hen")
    table.locator("input[type=search]").fill("spi")
    expect(table.locator("tbody tr")).to_have_count(1)
    expect(page.locator('[data-key="weights"] canvas.media-heat')).to_be_visible()
    logged = page.frame_locator('[data-key="page"] iframe').locator("body")
    expect(logged).to_contain_text("ran null")  # an origin of its own
    picture.locator("img").click()
    large = page.get_by_role("dialog", name="picture")
    expect(large.locator("img")).to_be_visible()
    page.keyboard.press("Escape")
    expect(large).to_have_count(0)
    step = page.get_by_label("Go to step")
    step.fill("1")
    step.press("Enter")
    expect(page.locator('[data-key="note"] pre')).to_have_text("words at 1")
    page.get_by_role("button", name="Play").click()
    expect(page.locator('[data-key="note"] pre')).to_have_text("words at 5")
    page.goto(url)
    first, second = (page.locator(f'.chart-card[data-key="{key}"]') for key in ("picture", "page"))
    second.scroll_into_view_if_needed()
    expect(second.get_by_label("Go to step")).to_have_value("4")
    step = first.get_by_label("Go to step")
    step.fill("2")
    step.press("Enter")
    first.locator(".run-media").scroll_into_view_if_needed()
    expect(first.locator("figcaption")).to_have_text("picture 2")
    expect(second.get_by_label("Go to step")).to_have_value("2")


def kinds(page: Page, url: str) -> None:
    """RUN-42, RUN-26: every kind of media is drawn, on its tab and in a panel; what is a stranger's, in frames."""
    page.goto(f"{url}/media")
    for key, drawn in DRAWN.items():
        card = page.locator(f'[data-key="{key}"]')
        card.scroll_into_view_if_needed()
        expect(card.locator(drawn)).to_be_visible()
    for key, drawn in DRAWN_IN_FRAMES.items():
        page.locator(f'[data-key="{key}"]').scroll_into_view_if_needed()
        frame = page.frame_locator(f'[data-key="{key}"] iframe >> nth=0')
        expect(frame.locator(drawn).first).to_be_visible()
    expect(page.locator("[data-key=faces] .media-frame")).to_have_count(2)
    page.goto(url)
    page.fill("[data-page-search]", "audio")  # the key is called otherwise
    panel = page.locator("[data-grid] .chart-card")
    expect(panel).to_have_count(1)
    expect(panel.locator("audio")).to_have_count(2)
    expect(panel).to_contain_text("tone 1")
    page.fill("[data-page-search]", "masked")
    expect(panel.locator(".media-layers canvas")).to_be_visible()
    panel.get_by_role("button", name="Layers").click()
    background, other = (panel.get_by_role("button", name=name, exact=True) for name in ("0", "4"))
    expect(background).to_have_attribute("aria-pressed", "false")
    expect(other).to_have_attribute("aria-pressed", "true")
    other.click()
    expect(other).to_have_attribute("aria-pressed", "false")
    panel.get_by_label("Opacity").fill("0.8")
    expect(panel.locator(".media-layers canvas")).to_have_css("opacity", "0.8")
    expect(panel.locator("label", has_text="Opacity").locator("output")).to_have_text("80%")
    boxes = panel.locator(".media-box >> visible=true")
    expect(boxes).to_have_count(2)
    panel.get_by_label("Minimum iou").fill("0.5")
    expect(boxes).to_have_count(1)
    panel.get_by_role("button", name="hen").click()
    expect(boxes).to_have_count(0)
    panel.get_by_role("button", name="pred").click()
    expect(panel.locator(".media-layers canvas")).to_be_hidden()
    page.fill("[data-page-search]", "faces")
    expect(panel.frame_locator("iframe >> nth=0").locator("canvas")).to_be_visible()
    page.goto(f"{url}/overview")
    page.click("#summary >> text=Molecule")
    expect(page.locator(".media-card.is-named h3")).to_have_text("water")


def logs(page: Page, url: str) -> None:
    """RUN-41: search on the server, a link to a line; secrets are masked until they are revealed."""
    page.goto(f"{url}/logs")
    log = page.locator("[data-log]")
    expect(log).to_contain_text("line of step 5")
    expect(log).not_to_contain_text(TOKEN)
    expect(page.locator("[data-masked]")).to_be_visible()
    page.fill("[data-page-search]", "OF STEP")
    expect(page.locator("[data-log-status]")).to_have_text("6 matches")
    page.press("[data-page-search]", "Enter")
    page.press("[data-page-search]", "Enter")
    expect(page.locator("[data-log-status]")).to_have_text(re.compile(r"^\d of 6$"))
    expect(log.locator(".is-marked mark")).to_have_text("of step")
    page.reload()
    page.fill("[data-page-search]", "of step 3")
    page.press("[data-page-search]", "Enter")  # before the server has looked: it is waited for
    expect(log.locator(".is-marked mark")).to_have_text("of step 3")
    page.click("[data-toggle=regex]")
    page.fill("[data-page-search]", "st.p [3-3]")
    page.press("[data-page-search]", "Enter")
    expect(log.locator(".is-marked mark")).to_have_text("step 3")
    page.click("[data-toggle=regex]")
    page.goto(f"{url}/logs#L3")
    expect(log.locator(".is-marked .log-text")).to_have_text("line of step 1")
    page.click("text=Reveal")
    expect(log).to_contain_text(TOKEN)
    page.click("text=Mask again")
    expect(log).to_contain_text("line of step 0")
    expect(log).not_to_contain_text(TOKEN)


def files(page: Page, url: str) -> None:
    """RUN-41: a tree with previews."""
    page.goto(f"{url}/files")
    page.click("a[data-preview] >> text=wandb-summary.json")
    expect(page.locator(".preview .code-key").first).to_be_visible()
    page.fill("input[name=search]", "picture_0")
    page.click("a[data-preview] >> text=picture_0")
    expect(page.locator(".preview img")).to_be_visible()


def narrow(page: Page, url: str) -> None:
    """Nothing is wider than a telephone."""
    page.set_viewport_size({"width": 390, "height": 844})
    for tab in ("overview", "media", "logs", "files", "code"):
        page.goto(f"{url}/{tab}")
        expect(page.locator(f'nav.tabs a[href$="/{tab}"]')).to_have_attribute("aria-current", "page")
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, tab


def test_a_run_is_read_edited_and_searched(
    quiet: Page, server: Installation, env: dict[str, str], sdk: Callable[[str], Path], tmp_path: Path
) -> None:
    page, python = quiet, sdk("0.31.0")
    fails = sdks.start_script(python, FAILS, env=env, cwd=tmp_path)
    draws = sdks.start_script(python, KINDS, env=env, cwd=tmp_path)
    sdks.run_script(python, LOGS, env=env, cwd=tmp_path)
    out, _ = fails.communicate(timeout=PATIENCE_S)
    assert fails.returncode != 0, out
    out, _ = draws.communicate(timeout=PATIENCE_S)
    assert draws.returncode == 0, out
    url = f"{server.url}/runner/pages/runs/rich"
    for part in (overview, media, logs, files, code, narrow):
        part(page, url)
    page.set_viewport_size({"width": 1280, "height": 720})
    kinds(page, f"{server.url}/runner/pages/runs/kinds")
    page.goto(f"{server.url}/runner/pages/runs/failed/overview")
    card: Any = page.locator(".crash-card")
    expect(card).to_contain_text("Out of GPU memory")
    expect(card.locator(".ansi-fg-1")).to_have_text("about to fail")
    expect(page.locator(".timeline-events")).to_contain_text("Failed")
