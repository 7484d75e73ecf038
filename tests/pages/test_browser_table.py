"""The runs table in a real Chromium: what people do in it all day (RUN-21 to RUN-24, RUN-7, RUN-28)."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from tests.browser import listen_to, sign_in, wait_until
from tests.factories import PASSWORD
from tests.installation import Installation
from tests.sdk.wire import Run, Wire
from tests.waiting import until

pytestmark = pytest.mark.browser

COUNT = 130
BEGIN = """
mutation Begin($name: String, $project: String, $shown: String, $config: JSONString, $summary: JSONString,
               $tags: [String!]) {
  upsertBucket(input: {name: $name, modelName: $project, displayName: $shown, config: $config,
                       summaryMetrics: $summary, tags: $tags}) { bucket { id } }
}"""
END = {"complete": True, "exitcode": 0}


@pytest.fixture(scope="module")
def wire(server: Installation) -> Iterator[Wire]:
    """Fill a project with runs: what the SDK would send, without the SDK."""
    server.manage("create_user", "tabea", "--email", "tabea@example.com", "--password", PASSWORD)
    wire = Wire(server.url, server.manage("create_api_key", "tabea")["api_key"])
    for number in range(COUNT):
        config = {"lr": number % 5, "optimizer": "adam" if number % 2 else "sgd", "epochs": 90}
        begin(wire, f"r{number:03}", config, {"loss": number / 10}, ["late"] if number >= 100 else [])
    yield wire
    wire.http.close()


def begin(wire: Wire, uid: str, config: dict[str, Any], summary: dict[str, Any], tags: list[str]) -> None:
    wrapped = json.dumps({key: {"value": value} for key, value in config.items()})
    shown = f"a-run-with-quite-a-long-name-{uid}"
    wire.data(
        BEGIN, name=uid, project="table", shown=shown, config=wrapped, summary=json.dumps(summary), tags=tags
    )


@pytest.fixture(scope="module")
def signed_in(wire: Wire, server: Installation, browser: Browser) -> Any:
    """Sign in once; each test opens a browser with this state."""
    context = browser.new_context()
    page = context.new_page()
    sign_in(page, server.url, "tabea", PASSWORD)
    state = context.storage_state()
    context.close()
    return state


@pytest.fixture
def size() -> dict[str, int]:
    return {"width": 1440, "height": 900}


@pytest.fixture
def page(signed_in: Any, browser: Browser, server: Installation, size: dict[str, int]) -> Iterator[Page]:
    """Open the table as for the first time; fail at the end if the console has said anything."""
    context = browser.new_context(storage_state=signed_in, viewport=size, reduced_motion="reduce")  # type: ignore[arg-type]
    page = context.new_page()
    said = listen_to(page)
    page.goto(f"{server.url}/tabea/table/runs")
    save(page, None)
    page.goto(f"{server.url}/tabea/table/runs")
    expect(row(page, "r129")).to_be_visible()
    yield page
    context.close()
    assert said == []


def save(page: Page, runs: Any) -> None:
    """Write the working state, as the page does."""
    status = page.evaluate(
        """async (runs) => (await fetch("/api/v1/views/working?entity=tabea&project=table", {method: "PATCH",
             headers: {"Content-Type": "application/json", "X-CSRFToken": document.body.dataset.csrf},
             body: JSON.stringify({runs})})).status""",
        runs,
    )
    assert status == 200


def row(page: Page, uid: str) -> Locator:
    return page.locator(f'tr[data-uid="{uid}"]')


def counter(page: Page, text: str) -> None:
    expect(page.locator("[data-counter]")).to_have_text(text)


def heads(page: Page) -> list[str]:
    found = page.locator("thead th[data-column]")
    return list(found.evaluate_all("heads => heads.map((head) => head.dataset.column)"))


def expect_heads(page: Page, test: str) -> None:
    """Wait until ``test`` holds of ``heads``, the names of the columns shown."""
    wait_until(
        page,
        f"""() => {{
          const heads = [...document.querySelectorAll("thead th[data-column]")].map((head) => head.dataset.column);
          return {test};
        }}""",
    )


def settled(page: Page) -> None:
    """Wait until what was set up is saved for the next visit."""
    wait_until(page, "() => !document.querySelector('[data-unsaved]')")


def options(page: Page) -> Locator:
    return page.locator(".options:popover-open .option-label")


def test_a_filter_is_typed_with_completion_and_edited_by_the_builder(page: Page) -> None:
    """RUN-22: both write one text, which a link carries; errors stand at their place."""
    field = page.locator("[data-expression] input")
    page.keyboard.press("f")
    expect(field).to_be_focused()
    page.keyboard.type("opt")
    expect(options(page)).to_have_text(["optimizer"])
    page.keyboard.press("Tab")
    expect(options(page).first).to_have_text("=")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    expect(options(page)).to_have_text(["adam", "sgd"])
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    counter(page, f"{COUNT // 2} of {COUNT} runs")
    assert "config.optimizer+%3D+%22adam%22" in page.url
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(page.locator(".chip")).to_have_text(['config.optimizer = "adam"'])

    page.click("[data-builder-open]")
    builder = page.locator("#filter-builder")
    builder.get_by_text("Condition", exact=True).click()
    expect(builder.locator("[data-column-field]").last).to_be_focused()
    page.keyboard.type("lr")
    expect(options(page)).to_have_text(["lr"])
    page.keyboard.press("Tab")
    builder.locator("select[aria-label=Operator]").last.select_option(">=")
    value = builder.locator("[data-value]").last
    value.fill("3")
    value.press("Enter")
    counter(page, f"26 of {COUNT} runs")
    builder.locator("select.joiner").select_option("any")
    counter(page, f"91 of {COUNT} runs")
    page.keyboard.press("Escape")
    page.keyboard.press("Escape")
    expect(field).to_have_value('config.optimizer = "adam" or config.lr >= 3')

    field.fill("config.lr > and")
    field.press("Enter")
    expect(page.locator("[data-expression-error]")).to_contain_text("character 13")
    expect(page.locator(".token-wrong")).to_have_text("and")
    counter(page, f"91 of {COUNT} runs")
    field.press("Escape")
    page.reload()
    counter(page, f"91 of {COUNT} runs")
    page.click("[data-toggle-condition*=crashed]")
    expect(page.locator(".chip")).to_have_count(2)
    page.locator(".chip button").first.click()
    expect(page.locator(".chip")).to_have_text(['state != "crashed"'])
    page.fill("[data-page-search]", "no-such")
    page.locator("[data-clear-filter]").click()
    counter(page, f"{COUNT} runs")


def test_groups_open_to_groups_and_runs(page: Page) -> None:
    """RUN-23: by several columns; histograms say their counts."""
    page.click("[data-group-open]")
    for column in ("optimizer", "lr"):
        page.keyboard.type(column)
        expect(options(page).first).to_have_text(column)
        page.keyboard.press("ArrowDown")
        page.keyboard.press("Enter")
        expect(page.locator(".chip", has_text=column)).to_be_visible()
    page.keyboard.press("Escape")
    groups = page.locator("tbody.group")
    expect(groups).to_have_count(2)
    expect(groups.first).to_contain_text("adam")
    expect(groups.first.locator("svg.bars title").first).to_contain_text(":")
    groups.first.locator("[data-expand]").click()
    expect(groups).to_have_count(7)
    groups.nth(1).locator("[data-expand]").click()
    expect(page.locator("tr[data-uid]")).to_have_count(13)
    expect(row(page, "r125")).to_be_visible()
    groups.first.locator("[data-expand]").click()
    expect(groups).to_have_count(2)
    expect(page.locator("tr[data-uid]")).to_have_count(0)
    box = groups.first.locator("[data-pick-group]")
    box.click()
    count = groups.first.get_attribute("data-count")
    expect(page.locator("[data-bulk-count]")).to_contain_text(str(count))
    expect(box).to_be_checked()
    box.click()
    expect(page.locator("[data-bulk]")).to_be_hidden()


@pytest.mark.turns
def test_columns_are_sorted_pinned_hidden_and_moved(page: Page) -> None:
    """RUN-21: by the header, its menu and the panel; what was set up is there the next time."""
    page.locator("th[data-column='summary.loss'] [data-sort]").click()
    least_first = page.locator("th[aria-sort=ascending]")  # of a loss, the best
    expect(least_first).to_have_attribute("data-column", "summary.loss")
    page.locator("th[data-column='config.lr'] [data-sort]").click(modifiers=["Shift"])
    expect(page.locator("th[aria-sort]")).to_have_count(2)
    head = page.locator("th[data-column='summary.loss']")
    head.hover()
    head.locator("[data-column-menu]").click()
    page.get_by_role("menuitem", name="Pin column").click()
    expect_heads(page, "heads[1] === 'summary.loss'")
    head = page.locator("th[data-column=user]")
    head.locator("[data-column-menu]").focus()
    page.keyboard.press("Enter")
    page.get_by_role("menuitem", name="Hide column").press("Enter")
    expect_heads(page, "!heads.includes('user')")
    head = page.locator("th[data-column='summary.loss']")
    box = head.bounding_box()
    assert box is not None
    head.locator("[data-sort]").focus()
    page.keyboard.press("Shift+ArrowRight")
    wait_until(
        page,
        "wide => document.querySelector(\"th[data-column='summary.loss']\").offsetWidth > wide",
        box["width"] + 8,
    )
    before = heads(page)
    moved = page.locator(f"th[data-column='{before[-1]}']")
    moved.drag_to(page.locator(f"th[data-column='{before[3]}']"), target_position={"x": 4, "y": 10})
    expect_heads(page, f"heads[3] === '{before[-1]}'")

    page.keyboard.press("c")
    panel = page.locator("#columns-panel")
    panel.locator("[data-columns-search]").fill("epochs")
    panel.get_by_role("checkbox", name="epochs", exact=True).check()
    expect_heads(page, "heads.includes('config.epochs')")
    panel.locator(".columns-handle").press("ArrowUp")
    expect_heads(page, "heads.at(-2) === 'config.epochs'")
    wanted = heads(page)
    settled(page)
    page.reload()
    assert heads(page) == wanted


def test_acts_on_selected_runs_have_names_on_narrow_screens(page: Page) -> None:
    """UI-5, UI-6: their words are hidden from the eye alone."""
    page.set_viewport_size({"width": 360, "height": 740})
    page.locator("[data-pick]").nth(1).click()
    bulk = page.get_by_role("region", name="Selected runs")
    for name in ("Tag", "Copy as", "Stop", "Delete"):
        expect(bulk.get_by_role("button", name=name, exact=True)).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_bulk_acts_reach_all_pages(page: Page) -> None:
    """RUN-7: everything that matches, also what is not loaded; a deletion can be undone."""
    page.locator("[data-pick]").nth(1).click()
    # as a live update does
    page.evaluate(
        "document.querySelectorAll('tr[data-uid]').forEach((row) => row.replaceWith(row.cloneNode(true)))"
    )
    page.locator("[data-pick]").nth(4).click(modifiers=["Shift"])
    bar = page.locator("[data-bulk]")
    expect(bar).to_contain_text("4 runs selected")
    bar.get_by_text(f"Select all {COUNT} runs").click()
    row(page, "r129").locator("[data-pick]").click()
    expect(bar).to_contain_text(f"{COUNT - 1} runs selected")
    bar.locator("[data-act=tag]").click()
    page.fill("#ask-value-input", "everywhere")
    page.locator("#ask-value [type=submit]").click()
    expect(page.locator(".toast-note")).to_contain_text(f"{COUNT - 1} runs tagged")
    page.locator("[data-expression] input").fill('tags contains "everywhere"')
    page.locator("[data-expression] input").press("Enter")
    counter(page, f"{COUNT - 1} of {COUNT} runs")
    row(page, "r128").locator("[data-pick]").click()
    bar.locator("[data-act=delete]").click()
    expect(page.locator("#ask-sure")).to_contain_text("7 days")
    page.locator("#ask-sure [type=submit]").click()
    deleted = page.locator(".toast-note", has_text="Run deleted")
    deleted.get_by_role("button", name="Undo").click()  # at once: the offer goes after a while
    expect(page.locator(".toast-note", has_text="Run restored")).to_be_visible()
    counter(page, f"{COUNT - 1} of {COUNT} runs")
    expect(row(page, "r128")).to_be_visible()


@pytest.mark.turns
def test_runs_are_copied_as_text(page: Page) -> None:
    """RUN-21: those chosen, or all that are shown, also what is not loaded; numbers as they are shown."""
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    row(page, "r129").locator("[data-pick]").click()
    page.locator("[data-bulk-copy]").click()
    page.locator("#bulk-copy").get_by_role("menuitem", name="Copy as LaTeX").click()
    expect(page.locator(".toast-note", has_text=re.compile("Rows copied: 1$"))).to_be_visible()
    text = page.evaluate("navigator.clipboard.readText()")
    assert "a-run-with-quite-a-long-name-r129 & " in text
    assert "& 12.90 " in text
    page.locator("[data-menu-open]").click()
    page.locator("#table-menu").get_by_role("menuitem", name="Copy as Markdown").click()
    expect(page.locator(".toast-note", has_text=f"Rows copied: {COUNT}")).to_be_visible()
    lines = page.evaluate("navigator.clipboard.readText()").splitlines()
    assert len(lines) == COUNT + 2
    assert lines[-1].startswith("| a-run-with-quite-a-long-name-r000 |")


@pytest.mark.turns
def test_a_view_is_saved_shared_and_opened_again(page: Page) -> None:
    """RUN-21: saved views, one's own and the project's."""
    page.fill("[data-page-search]", "r12")
    counter(page, f"10 of {COUNT} runs")
    page.click("[data-views-open]")
    page.locator("[data-view-act=save-as]").click()
    page.fill("#view-name", "The last ten")
    page.check("[name=shared]")
    page.locator("#view-dialog [type=submit]").click()
    expect(page.locator("[data-view-name]")).to_have_text("The last ten")
    counter(page, f"10 of {COUNT} runs")
    page.click("[data-views-open]")
    page.get_by_role("link", name="My default view").click()
    expect(page.locator("[data-view-name]")).to_have_text("Views")
    page.click("[data-views-open]")
    page.locator("[data-view-act=reset]").click()
    counter(page, f"{COUNT} runs")
    page.click("[data-views-open]")
    page.get_by_role("link", name="The last ten").click()
    counter(page, f"10 of {COUNT} runs")
    page.fill("[data-page-search]", "r11")
    expect(page.locator("[data-view-edited]")).to_be_visible()
    page.click("[data-views-open]")
    page.locator("[data-view-act=discard]").click()
    expect(page.locator("[data-page-search]")).to_have_value("r12")
    page.click("[data-views-open]")
    page.locator("[data-view-act=delete]").click()
    page.locator("#view-delete [data-confirm]").click()
    expect(page.locator("[data-view-name]")).to_have_text("Views")


def test_everything_goes_by_keyboard(page: Page) -> None:
    """UI-5: walk, select, edit and open without a mouse."""
    expect(page.locator("[data-runs-table]")).to_be_visible()
    page.keyboard.press("j")
    expect(row(page, "r129").locator("th")).to_be_focused()
    page.keyboard.press("j")
    page.keyboard.press("x")
    expect(row(page, "r128").locator("[data-pick]")).to_be_checked()
    page.keyboard.press("Escape")
    expect(page.locator("[data-bulk]")).to_be_hidden()
    page.keyboard.press("F2")
    page.keyboard.type("renamed by keyboard")
    page.keyboard.press("Enter")
    expect(row(page, "r128").locator("th a")).to_have_attribute("title", "renamed by keyboard")
    page.keyboard.press("/")
    expect(page.locator("[data-page-search]")).to_be_focused()
    page.keyboard.type("by keyboard")
    counter(page, f"1 of {COUNT} runs")
    page.keyboard.press("Escape")
    page.keyboard.press("j")
    expect(row(page, "r128").locator("th")).to_be_focused()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile("/runs/r128$"))


@pytest.mark.turns
def test_runs_change_and_appear_while_one_looks(page: Page, wire: Wire) -> None:
    """RUN-28: in place; selection, focus and page stay."""
    page.evaluate("window.stillHere = true")
    row(page, "r127").locator("[data-pick]").click()
    wire.post(Run("tabea", "table", "r129"), END)
    expect(row(page, "r129").locator(".state-pill")).to_have_text("Finished")
    begin(wire, "later", {"lr": 1}, {"loss": 1}, [])
    expect(row(page, "later")).to_be_visible()
    counter(page, f"{COUNT + 1} runs")
    expect(row(page, "r127").locator("[data-pick]")).to_be_checked()
    assert page.evaluate("window.stillHere") is True
    page.locator("[data-scroll]").evaluate("view => { view.scrollTop = view.scrollHeight; }")
    expect(row(page, "r000")).to_be_visible()
    expect(row(page, "r127").locator("[data-pick]")).to_be_checked()


@pytest.mark.turns
@pytest.mark.parametrize("size", [{"width": 390, "height": 844}])
def test_a_phone_shows_names_and_scrolls_only_the_table(page: Page) -> None:
    """UI-6: header and name stay in view, the page never scrolls sideways. RUN-24: names are cut in the middle."""
    page.locator("[data-scroll]").evaluate("view => { view.scrollLeft = 300; view.scrollTop = 500; }")
    name = page.locator("tr[data-uid] th").nth(20)
    box = until(name.bounding_box, "rows to be drawn anew after scrolling")
    assert 0 <= box["x"] < 60
    head = page.locator("thead th").nth(1).bounding_box()
    area = page.locator("[data-scroll]").bounding_box()
    assert head is not None
    assert area is not None
    assert abs(head["y"] - area["y"]) < 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    pieces = name.locator("bdi > span")
    assert pieces.first.evaluate("piece => piece.scrollWidth > piece.clientWidth")
    tail = pieces.last
    assert tail.evaluate("piece => piece.scrollWidth <= piece.clientWidth + 1")
    page.locator("[data-pick]").first.click()
    expect(page.locator("[data-bulk] [data-act=tag]")).to_be_in_viewport()
    page.click("[data-menu-open]")
    page.locator("input[name=crop][value=end]").check()
    expect(page.locator("[data-runs-table]")).to_have_attribute("data-crop", "end")
