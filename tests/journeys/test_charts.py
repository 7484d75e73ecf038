"""Custom charts in a real Chromium, logged and stored by the real SDK (RUN-26, RUN-42)."""

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Page, Request, expect

from tests import sdks
from tests.installation import Installation
from tests.journeys.people import leave_with_env, sign_up

pytestmark = [pytest.mark.browser, pytest.mark.sdk]

LOGS = """
import wandb
spec = {"data": {"name": "wandb"}, "title": "${string:title}", "mark": "arc",
        "encoding": {"theta": {"field": "${field:value}", "type": "quantitative"},
                     "color": {"field": "${field:label}"}}}
name = wandb.Api().create_custom_chart(entity="charter", name="donut", display_name="Donut", spec_type="vega2",
                                       access="private", spec=spec)
assert name == "charter/donut", name
with wandb.init(project="plots", id="one", config={"lr": 0.1}) as run:
    animals = wandb.Table(columns=["label", "how.many"], data=[["cat", 3], ["dog", 5]])
    run.log({
        "donut": wandb.plot_table(name, animals, {"value": "how.many", "label": "label"}, {"title": "Animals"}),
        "bars": wandb.plot.bar(animals, "label", "how.many", title="As bars"),
        "missing": wandb.plot_table("charter/nothing", animals, {"value": "how.many"}),
    })
    run.log({"loss": 0.5})
"""
SCIKIT_LEARN = """
import wandb
TABLES = {
    "calibration": (["model", "fraction_of_positives", "mean_predicted_value", "hist_dict", "edge_dict"], [
        ["Perfectly calibrated", 0, 0, 0, 0], ["Perfectly calibrated", 1, 1, 0, 0],
        ["Logistic", 0.1, 0.05, 30, 0.0], ["Logistic", 0.9, 0.95, 40, 0.9]]),
    "class_proportions": (["class", "dataset", "count"], [["cat", "train", 7], ["cat", "test", 3]]),
    "confusion_matrix": (["Predicted", "Actual", "Count"], [["cat", "cat", 3], ["dog", "cat", 1]]),
    "decision_boundaries": (["x", "y", "color"], [[0.5, 1.5, "cat"], [1.5, 0.5, "dog"]]),
    "elbow": (["cluster_ranges", "errors", "clustering_time"], [[1, 680.0, 0.1], [3, 79.0, 0.2]]),
    "feature_importances": (["feature_names", "importances"], [["petal.length", 0.9], ["petal.width", 0.1]]),
    "learning_curve": (["dataset", "score", "train_size"], [
        ["train", 1.0, 8], ["test", 0.8, 8], ["train", 0.99, 16], ["test", 0.9, 16]]),
    "metrics": (["metric_name", "metric_value", "model_name"], [["accuracy_score", 0.97, "Forest"]]),
    "outliers": (["distance", "instance_indicies", "outlier_percentage", "influence_threshold"], [
        [0.01, 0, 50.0, 0.02], [0.05, 1, 50.0, 0.02]]),
    "residuals_plot": (["dataset", "y_pred", "residuals", "train_score", "test_score"], [
        ["train", 100.0, -3.5, 0.9, 0.8], ["test", 120.0, 2.5, 0.9, 0.8]]),
    "silhouette_": (
        ["x", "y", "colors", "centerx", "centery", "y_sil", "x1", "x2", "color_sil", "silhouette_avg"],
        [[1.0, 2.0, 0, 1.5, 2.5, 10, 0, 0.4, 0, 0.55], [3.0, 4.0, 1, 3.5, 4.5, 21, 0, 0.7, 1, 0.55]]),
}
with wandb.init(project="plots", id="one") as run:
    for name, (columns, rows) in TABLES.items():
        chart = wandb.visualize(f"wandb/{name}/v1", wandb.Table(columns=columns, data=rows))
        run.log({"scikit/" + name: chart})
"""
"""Tables of the shapes that `wandb.sklearn` makes, announced as it does; scikit-learn itself is not needed."""
SCIKIT_LEARN_CHARTS = re.findall(r'^    "(\w+)": \(', SCIKIT_LEARN, re.MULTILINE)
WATCHED = """
import wandb
for name in ("one", "two"):
    with wandb.init(project="watched", id=name) as run:
        for step in range(4):
            run.log({"gradients/layer": wandb.Histogram(np_histogram=([1, 2 + step, 1], [0, 1, 2, 3]))})
"""
READS = {"mark": "bar", "data": {"url": "https://example.com/rows.csv"}}
COUNTS = {"mark": "bar", "encoding": {"x": {"field": "${field:x}"}, "y": {"aggregate": "count"}}}


def card(key: str) -> str:
    return f'.chart-card[data-key="chart:{key}"]'


def is_painted(page: Page, frame: str) -> None:
    """Wait for a canvas in a frame that has something on it."""
    canvas = page.frame_locator(frame).locator("canvas")
    expect(canvas).to_be_visible()
    assert canvas.evaluate("c => new Uint32Array(c.getContext('2d').getImageData(0, 0, c.width, c.height).data.buffer)"
                           ".some(Boolean)")  # fmt: skip


@pytest.fixture
def charts(quiet: Page, server: Installation, sdk: Callable[[str], Path], tmp_path: Path) -> Page:
    """Give the workspace of a run that has logged charts."""
    sign_up(quiet, server, "charter")
    env = leave_with_env(quiet) | {"WANDB_ENTITY": "charter"}
    sdks.run_script(sdk("0.31.0"), LOGS, env=env, cwd=tmp_path)
    quiet.goto(f"{server.url}/charter/plots")
    return quiet


def test_charts_of_the_sdk_are_drawn_and_edited_without_reaching_anything(
    charts: Page, tmp_path: Path
) -> None:
    """RUN-26: presets and stored specifications; what is written is drawn beside; no address is ever read."""
    page = charts
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request) if "example.com" in request.url else None)
    for key in ("donut", "bars"):
        page.locator(card(key)).scroll_into_view_if_needed()
        is_painted(page, f"{card(key)} iframe")
    page.locator(card("missing")).scroll_into_view_if_needed()
    expect(page.locator(card("missing"))).to_contain_text("charter/nothing")

    page.locator(f"{card('bars')} .chart-head").hover()
    page.click(f"{card('bars')} [aria-haspopup=menu]")
    with page.expect_download() as download:
        page.click("#panel-menu >> text=SVG")
    assert "As bars" in download.value.path().read_text()

    page.click("[data-add-panel]")
    page.click(".panel-kind[data-kind=custom]")
    spec, error = page.locator("#chart-editor-spec"), page.locator(".chart-editor .vega-error")
    is_painted(page, ".chart-editor iframe")
    spec.fill(json.dumps(READS))
    expect(error).to_contain_text("cannot load data from URLs")
    spec.fill("{ half")
    expect(error).to_contain_text("could not be displayed")
    spec.fill(json.dumps(COUNTS))
    expect(error).to_be_empty()
    page.get_by_label("x", exact=True).select_option("config.lr")
    page.get_by_label("Name in the team").fill("counted")
    page.click("text=Store chart")
    expect(page.get_by_label("Chart", exact=True)).to_have_value("charter/counted")
    page.get_by_label("Title", exact=True).fill("How many")
    with page.expect_response(re.compile("/views/working")):
        page.click("#panel-dialog button[type=submit]")
    page.reload()
    made = page.locator(".chart-card", has_text="How many")
    expect(made).to_be_visible()
    expect(made.frame_locator("iframe").locator("canvas")).to_be_visible()
    made.locator(".chart-head").hover()
    made.get_by_label("Enlarge How many").click()
    is_painted(page, "#chart-dialog iframe")
    assert asked == []


@pytest.mark.turns
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_charts_of_scikit_learn_are_drawn(
    quiet: Page,
    server: Installation,
    sdk: Callable[[str], Path],
    tmp_path: Path,
    scheme: Literal["light", "dark"],
) -> None:
    """RUN-26: each of `wandb.sklearn`, on the run's page, whose tables are no panels and no media of their own."""
    page = quiet
    page.emulate_media(color_scheme=scheme)
    sign_up(page, server, f"learner-{scheme}")
    env = leave_with_env(page) | {"WANDB_ENTITY": f"learner-{scheme}"}
    sdks.run_script(sdk("0.31.0"), SCIKIT_LEARN, env=env, cwd=tmp_path)
    page.goto(f"{server.url}/learner-{scheme}/plots/runs/one")
    for name in SCIKIT_LEARN_CHARTS:
        chart = page.locator(card(f"scikit/{name}"))
        chart.scroll_into_view_if_needed()
        is_painted(page, f"{card(f'scikit/{name}')} iframe")
        expect(chart.locator(".vega-error")).to_be_empty()
    expect(page.locator(".chart-card[data-key]")).to_have_count(len(SCIKIT_LEARN_CHARTS))


@pytest.mark.turns
def test_histograms_are_drawn_over_steps_and_over_each_other(
    quiet: Page, server: Installation, sdk: Callable[[str], Path], tmp_path: Path
) -> None:
    """RUN-26: of several runs at the slider's step, of one as a heat map; found by kind, and in the panel's form."""
    page = quiet
    sign_up(page, server, "histologist")
    env = leave_with_env(page) | {"WANDB_ENTITY": "histologist"}
    sdks.run_script(sdk("0.31.0"), WATCHED, env=env, cwd=tmp_path)
    page.goto(f"{server.url}/histologist/watched")
    panel = page.locator('.chart-card[data-key="gradients/layer"]')
    # panels are laid out anew a moment after the search is typed: a slider moved before that is forgotten
    page.fill("[data-page-search]", "no panel has this name")
    expect(panel).to_be_hidden()
    page.fill("[data-page-search]", "histogram")
    expect(panel.locator("canvas")).to_be_visible()
    slider = panel.get_by_role("slider", name="Step")
    expect(slider).to_have_attribute("aria-valuetext", "Step 3")
    with page.expect_response(re.compile(r"/histograms\?.*step=1&")):
        slider.fill("1")
    expect(panel.get_by_label("Go to step")).to_have_value("1")
    with page.expect_response(re.compile(r"/histograms\?.*step=2&")):
        panel.get_by_role("button", name="Step forward").click()

    page.click("[data-add-panel]")
    page.click(".panel-kind[data-kind=histogram]")
    page.get_by_label("Key", exact=True).select_option("gradients/layer")
    page.get_by_label("Title", exact=True).fill("Made by hand")
    page.click("#panel-dialog button[type=submit]")
    page.fill("[data-page-search]", "by hand")
    expect(page.locator(".chart-card canvas")).to_be_visible()

    page.goto(f"{server.url}/histologist/watched/runs/one")
    expect(panel.locator("canvas")).to_be_visible()
    expect(slider).to_be_hidden()
