"""Tables that the real SDK logs into artifacts, in a real Chromium (RUN-26, RUN-42, ART-4)."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from tests import sdks
from tests.installation import Installation
from tests.journeys.people import leave_with_env, sign_up

pytestmark = [pytest.mark.browser, pytest.mark.sdk]

LOGS = """
import numpy
import wandb
for name in ("one", "two"):
    with wandb.init(project="samples", id=name, name="run " + name) as run:
        samples = wandb.Table(columns=["id", "picture", "kind", "score"])
        for n in range(60):
            picture = wandb.Image(numpy.full((8, 8, 3), n, numpy.uint8), caption=f"picture {n}")
            samples.add_data(f"{name}-{n}", picture, "cat" if n % 3 else "dog", n / 60)
        run.log({"samples": samples, "loss": 1.0})
        growing = wandb.Table(columns=["step"], log_mode="INCREMENTAL")
        for step in range(3):
            growing.add_data(step)
            run.log({"growing": growing})
        truths = wandb.Table(columns=["id", "truth"], data=[["a", 1], ["b", 2]])
        guesses = wandb.Table(columns=["id", "guess"], data=[["a", 3]])
        run.log({"joined": wandb.JoinedTable(truths, guesses, "id")})
        whole = wandb.Artifact("whole", type="dataset")
        for part in range(2):
            whole.add(wandb.Table(columns=["part"], data=[[part], [part]]), f"parts/{part}")
        whole.add(wandb.data_types.PartitionedTable(parts_path="parts"), "all")
        run.log_artifact(whole).wait()
        run.log({"parts": run.use_artifact("whole:latest").get("all")})
        labels = wandb.Artifact("labels", type="dataset")
        labels.add(wandb.Table(columns=["name", "label"], data=[["two-1", "tabby"]]), "labels")
        run.log_artifact(labels).wait()
"""


@pytest.fixture
def workspace(quiet: Page, server: Installation, sdk: Callable[[str], Path], tmp_path: Path) -> Page:
    """Give the workspace of two runs that have logged tables of every kind."""
    sign_up(quiet, server, "tabler")
    env = leave_with_env(quiet) | {"WANDB_ENTITY": "tabler"}
    sdks.run_script(sdk("0.31.0"), LOGS, env=env, cwd=tmp_path)
    quiet.goto(f"{server.url}/tabler/samples")
    return quiet


def panel(page: Page, key: str) -> Locator:
    found = page.locator(f'.chart-card[data-key="{key}"]')
    found.scroll_into_view_if_needed()
    return found


def is_loaded(picture: Locator) -> None:
    expect(picture).to_be_visible()
    picture.evaluate("image => image.decode()")


def _check_small_tables(page: Page) -> None:
    """A step is chosen by its number, and the tables of two runs are put side by side."""
    for key, rows in {"growing": 6, "joined": 4, "parts": 8}.items():
        expect(panel(page, key).locator("tbody tr")).to_have_count(rows)
    expect(panel(page, "growing").locator(".media-slider")).to_be_visible()
    (slider, table) = (
        panel(page, "growing").locator(part).bounding_box() for part in (".media-slider", "table")
    )
    assert slider
    assert table
    assert table["y"] - slider["y"] < 80, "the slider took the rows' room"
    panel(page, "growing").get_by_label("Go to step").fill("2")
    panel(page, "growing").get_by_label("Go to step").press("Enter")
    expect(panel(page, "growing").get_by_role("slider")).to_have_attribute("aria-valuetext", "Step 2")

    joined = panel(page, "joined")
    joined.get_by_role("combobox", name="Group rows by").select_option(label="Join by id")
    expect(joined.locator("thead .panel-table-owner")).to_have_text(
        ["run two", "run two", "run one", "run one"]
    )
    expect(joined.locator("tbody tr")).to_have_text(["a1313", "b22"])


def _check_pictures(page: Page, samples: Locator) -> None:
    """A picture of a cell is shown over the window, with those of the next rows; how large cells show it is kept."""
    first = samples.get_by_role("button", name="Enlarge picture 0", exact=True).first
    first.focus()
    page.keyboard.press("Enter")
    large = page.get_by_role("dialog", name="picture 0")
    expect(large.get_by_role("heading")).to_have_text("picture 0")
    is_loaded(large.locator("img"))
    page.keyboard.press("ArrowRight")
    expect(large.get_by_role("heading")).to_have_text("picture 1")
    expect(large).to_contain_text("2 of 50")
    large.get_by_role("button", name="Previous image").click()
    expect(large.get_by_role("heading")).to_have_text("picture 0")
    page.keyboard.press("Escape")
    expect(large).to_have_count(0)
    expect(first).to_be_focused()
    with page.expect_response(lambda reply: reply.request.method != "GET"):
        samples.get_by_label("Image size").fill("120")
    page.reload()
    samples.scroll_into_view_if_needed()
    expect(samples.get_by_label("Image size")).to_have_value("120")
    expect(samples.locator("tbody img").first).to_have_css("height", "120px")


@pytest.mark.turns
def test_tables_are_paged_from_artifacts_and_joined_by_hand(workspace: Page) -> None:
    """RUN-26: filtered by conditions on their columns, and shown at a step, too."""
    page = workspace
    _check_small_tables(page)
    samples = panel(page, "samples")
    expect(samples).to_contain_text("1–50 / 120")
    expect(samples.locator("tbody tr")).to_have_count(50)
    is_loaded(samples.locator("tbody img").first)
    _check_pictures(page, samples)
    samples.get_by_role("button", name="Next page").click()
    expect(samples).to_contain_text("51–100 / 120")
    samples.get_by_role("button", name="score").click()
    expect(samples.locator("tbody tr").first).to_contain_text("-0")
    samples.get_by_role("searchbox").fill("two-7")
    expect(samples.locator("tbody tr")).to_have_count(1)
    samples.get_by_role("searchbox").fill("")
    expect(samples.locator("tbody tr")).to_have_count(50)
    samples.get_by_role("combobox", name="Group rows by").select_option(label="kind")
    expect(samples.locator("tbody tr")).to_have_count(2)
    samples.get_by_role("button", name="dog").click()
    expect(samples.locator("tbody tr")).to_have_count(42)
    samples.get_by_role("button", name="Filter columns").click()
    samples.get_by_label("Column", exact=True).select_option("score")
    samples.get_by_label("Value", exact=True).fill("0.5")
    expect(samples.locator("tbody tr")).to_have_count(2)
    expect(samples.locator("tbody tr", has_text="dog")).to_contain_text("20")
    samples.get_by_role("button", name="Remove score").click()
    expect(samples.locator("tbody tr", has_text="dog")).to_contain_text("40")
    samples.get_by_role("button", name="dog").click()
    expect(samples.locator("tbody tr")).to_have_count(42)
    samples.get_by_role("link", name="run two").first.click()

    page.wait_for_url(re.compile("preview=samples.table.json"))
    preview = page.locator("#file-preview")
    is_loaded(preview.locator("tbody img").first)
    preview.get_by_role("link", name="Join table").click()
    preview.get_by_label("Version").fill("labels:latest")
    preview.get_by_label("Version").press("Tab")
    expect(preview.locator("#join-paths option")).to_have_attribute("value", "labels.table.json")
    preview.get_by_label("Table", exact=True).fill("labels.table.json")
    preview.get_by_label("Table", exact=True).press("Tab")
    preview.get_by_label("This table’s column").select_option("id")
    page.wait_for_url(re.compile("left=id"))
    preview.get_by_label("Other table’s column").select_option("name")
    expect(preview.locator("thead")).to_contain_text("label")
    preview.locator("select[name=how]").select_option("inner")
    expect(preview.locator("tbody tr")).to_have_count(1)
    expect(preview.locator("tbody tr")).to_contain_text("tabby")
