"""What people do with artifacts in a real Chromium, logged by a real SDK (ART-1, ART-4, ART-6)."""

import re
from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests import sdks
from tests.browser import wait_until
from tests.installation import Installation
from tests.journeys.people import leave_with_env, sign_up
from tests.waiting import PATIENCE_S

pytestmark = [pytest.mark.browser, pytest.mark.sdk]

TRAINS = """
import base64, pathlib, wandb

PICTURES = {
    0: "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGO8IyfHwMDAxMDAwMDAAAAOCAEc48H7QgAAAABJRU5ErkJggg==",
    1: "iVBORw0KGgoAAAANSUhEUgAAAAIAAAACCAIAAAD91JpzAAAAFklEQVR4nGOUk7vDwMDAxMDAwMDAAAAMjAEcsauf7gAAAABJRU5ErkJggg==",
}

with wandb.init(project="yard", name="prepare") as run:
    pathlib.Path("rows.csv").write_text("id,label\\n1,cat\\n2,dog\\n")
    dataset = wandb.Artifact("pets", type="dataset")
    dataset.add_file("rows.csv")
    run.log_artifact(dataset).wait()

with wandb.init(project="yard", name="train") as run:
    folder = run.use_artifact("pets:latest").download()
    rows = pathlib.Path(folder, "rows.csv").read_text()
    for epoch in (0, 1):
        model = wandb.Artifact("classifier", type="model", metadata={"epoch": epoch})
        for name, content in (
            ("weights.bin", b"weights %d" % epoch),
            ("confusion.png", base64.b64decode(PICTURES[epoch])),
            ("rows.csv", rows.encode()),
        ):
            with model.new_file(name, mode="wb") as file:
                file.write(content)
        run.log_artifact(model, aliases=["latest", f"epoch-{epoch}"]).wait()
"""


def compare_two(page: Page) -> None:
    """Choose two versions by keyboard, and see what changed in metadata, files and a picture."""
    for label in ("v1", "v0"):
        page.get_by_label(f"Select {label}").focus()
        page.keyboard.press("Space")
    expect(page.locator("[data-pick-count]")).to_have_text("2 selected")
    page.locator("[data-pick-compare]").click()
    expect(page.locator("#main")).to_contain_text("0 added · 0 removed · 2 changed · 0 renamed · 1 unchanged")
    expect(page.locator("tr", has_text="epoch")).to_have_text(re.compile(r"epoch\s*0\s*1"))
    page.get_by_role("link", name="confusion.png").click()
    pictures = page.locator("[data-image-views] img")
    expect(pictures).to_have_count(2)
    wait_until(
        page,
        "[...document.querySelectorAll('[data-image-views] img')].every((one) => one.naturalWidth === 2)",
    )
    page.get_by_role("button", name="Divider").press("Enter")
    divider = page.get_by_role("slider")
    divider.press("Home")
    divider.press("ArrowRight")
    expect(page.locator("[data-image-views]")).to_have_attribute("style", re.compile(r"--divider: 1%"))
    page.get_by_role("button", name="Difference").press("Enter")
    expect(page.get_by_text("Black means equal")).to_be_visible()


def follow_lineage(page: Page) -> None:
    """From the model by its run to the data that it was trained on, by cards and by the list."""
    page.get_by_role("link", name="Lineage").click()
    cards = page.locator(".lineage-card")
    expect(cards).to_have_count(4)  # the run that prepared, its data, the run that trained, the model
    page.get_by_role("button", name="List").click()
    expect(page.locator(".lineage-list tbody tr")).to_have_count(3)
    page.locator(".lineage-list").get_by_role("link", name="train").first.click()
    expect(page.locator("#main")).to_contain_text("train")
    page.click("nav.tabs >> text=Artifacts")
    inputs = page.locator("section", has=page.get_by_role("heading", name="Inputs"))
    inputs.get_by_role("link", name="pets:v0").click()
    expect(page.locator("section", has=page.get_by_role("heading", name="Used by"))).to_contain_text("train")


def delete_and_undo(page: Page) -> None:
    """Delete the newest of two models; `latest` moves to the one that is left, and back."""
    newest = page.locator("tr", has_text="epoch-1")
    newest.get_by_role("checkbox").check()
    page.locator(".picked-bar").get_by_role("button", name="Delete").click()
    page.locator("#versions-delete").get_by_role("button", name="Delete versions").click()
    expect(page.get_by_text("1 version deleted.")).to_be_visible()
    expect(newest).to_have_count(0)
    expect(page.locator("tr", has_text="epoch-0")).to_contain_text("latest")
    page.get_by_role("button", name="Undo").click()
    expect(newest).to_contain_text("latest")
    expect(page.locator("tr", has_text="epoch-0")).not_to_contain_text("latest")


def test_from_a_dataset_to_a_model_and_back(
    quiet: Page, server: Installation, sdk: Callable[[str], Path], tmp_path: Path
) -> None:
    page = quiet
    sign_up(page, server, "petra")
    env = leave_with_env(page)
    process = sdks.start_script(sdk("0.31.0"), TRAINS, env=env, cwd=tmp_path)
    out, _ = process.communicate(timeout=PATIENCE_S)
    assert process.returncode == 0, out

    page.goto(f"{server.url}/petra/yard")
    page.get_by_role("link", name="Artifacts").click()
    expect(page.locator(".artifact-types")).to_contain_text("dataset")
    page.get_by_role("link", name="classifier").click()
    collection = page.url
    compare_two(page)
    follow_lineage(page)

    page.get_by_role("link", name="Files").click()
    page.get_by_role("link", name="rows.csv", exact=True).click()
    expect(page.locator(".preview")).to_contain_text("dog")
    with page.expect_download() as download:
        page.locator(".preview-head").get_by_role("link", name="Download").click()
    assert Path(download.value.path()).read_text() == "id,label\n1,cat\n2,dog\n"
    assert download.value.suggested_filename == "rows.csv"

    page.goto(collection)
    delete_and_undo(page)
