"""The block editor of intros in a real Chromium, under the real policy; nothing in an intro runs (ACC-3, ACC-4)."""

import re
from collections.abc import Callable, Iterator
from http.server import ThreadingHTTPServer

import pytest
from playwright.sync_api import Dialog, Frame, Locator, Page, Request, expect

from common.tests.safe_http.test_outgoing import Handler
from common.tests.test_markdown import XSS
from tests.browser import wait_until
from tests.fakes.serving import serving
from tests.installation import Installation
from tests.journeys.people import sign_up

pytestmark = pytest.mark.browser
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="200" height="100"><circle r="50" fill="teal"/></svg>'


@pytest.fixture(scope="module")
def host() -> Iterator[str]:
    """Another host with a picture of 200 by 100 pixels."""
    answers = {"/badge.svg": (200, {"Content-Type": "image/svg+xml"}, SVG)}
    handler = type("BadgeHandler", (Handler,), {"answers": answers, "asked": []})
    running = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    with serving(running):
        yield f"http://127.0.0.1:{running.server_port}"


def write(page: Page, server: Installation, name: str, markdown: str) -> None:
    """Store an intro by the text field, as without a script, and stay on the page."""
    page.goto(f"{server.url}/{name}")
    page.evaluate(
        """async (intro) => {
          const form = document.querySelector("[data-intro-form]");
          const data = new FormData(form);
          data.set("intro", intro);
          await fetch(form.action, { method: "POST", body: data });
        }""",
        markdown,
    )
    page.reload()


def edit(page: Page) -> Locator:
    page.click("[data-edit-intro]")
    text = page.locator(".intro-editor .ProseMirror")
    expect(text).to_be_visible()
    return text


def save(page: Page) -> str:
    """Save and return the stored Markdown, as the text field has it."""
    page.click("[data-intro-form] button[type=submit]")
    expect(page.locator("[data-edit-intro]")).to_be_visible()
    return page.locator("textarea[name=intro]").input_value()


def handle_of(page: Page, block: Locator) -> Locator:
    """Point at a block until its handle stands beside it."""
    handle = page.locator(".milkdown-block-handle[data-show=true] .operation-item").nth(1)
    box = block.bounding_box()
    assert box is not None
    for nudge in range(50):
        page.mouse.move(box["x"] + 20 + nudge % 3, box["y"] + box["height"] / 2)
        page.wait_for_timeout(100)
        at = handle.bounding_box() if handle.count() else None
        if at and abs(at["y"] + at["height"] / 2 - box["y"] - box["height"] / 2) < 14:
            return handle
    raise AssertionError("no handle beside the block")


def test_an_intro_is_written_in_blocks_saved_and_read_back(quiet: Page, server: Installation) -> None:
    """ACC-3: type, choose from the list that / opens, save; what comes back is Markdown."""
    page = quiet
    sign_up(page, server, "tilda")
    page.goto(f"{server.url}/tilda")
    assert not page.evaluate("performance.getEntriesByType('resource').some(({name}) => /blocks/.test(name))")
    edit(page)
    page.keyboard.type("Hello there")
    page.keyboard.press("Enter")
    page.keyboard.type("/")
    menu = page.locator(".milkdown-slash-menu[data-show=true]")
    expect(menu).to_contain_text("Heading 2")
    page.keyboard.type("Heading 2")
    expect(menu.locator("li.hover, li.active").first).to_contain_text("Heading 2")
    page.keyboard.press("Enter")
    page.keyboard.type("What I do")
    page.keyboard.press("Enter")
    page.keyboard.type("- one")  # Markdown as one types it
    page.keyboard.press("Enter")
    page.keyboard.type("two")
    expect(page.locator(".ProseMirror h2")).to_have_text("What I do")
    assert save(page) == "Hello there\n\n## What I do\n\n- one\n- two"
    expect(page.locator(".intro-text h2")).to_have_text("What I do")
    expect(page.locator(".intro-text li")).to_have_text(["one", "two"])


@pytest.mark.turns
def test_a_block_is_moved_by_its_handle_and_deleted_by_its_menu(quiet: Page, server: Installation) -> None:
    """ACC-3."""
    page = quiet
    sign_up(page, server, "moira")
    write(page, server, "moira", "first\n\nsecond\n\nthird")
    text = edit(page)
    blocks = text.locator("p")
    expect(blocks).to_have_text(["first", "second", "third"])
    handle_of(page, blocks.nth(1)).click()
    menu = page.get_by_role("menu")
    expect(menu.get_by_role("menuitem").first).to_be_focused()
    menu.get_by_role("menuitem", name="Delete").click()
    expect(text.locator("p")).to_have_text(["first", "third"])

    handle = handle_of(page, blocks.nth(1)).bounding_box()
    target = blocks.nth(0).bounding_box()
    assert handle is not None
    assert target is not None
    page.mouse.move(handle["x"] + 8, handle["y"] + 8)
    page.mouse.down()
    page.mouse.move(target["x"] + 30, target["y"] + 12, steps=8)
    page.mouse.move(target["x"] + 30, target["y"] + 1, steps=4)
    page.mouse.up()
    expect(text.locator("p")).to_have_text(["third", "first"])
    assert save(page) == "third\n\nfirst"


@pytest.mark.turns
def test_blocks_are_moved_and_deleted_by_keys(quiet: Page, server: Installation) -> None:
    """UI-5: what the handle does, keys do."""
    page = quiet
    sign_up(page, server, "keya")
    write(page, server, "keya", "first\n\nsecond\n\nthird")
    text = edit(page)
    text.locator("p").nth(2).click()
    page.keyboard.press("Alt+ArrowUp")
    expect(text.locator("p")).to_have_text(["first", "third", "second"])
    page.keyboard.press("Control+Shift+Backspace")
    expect(text.locator("p")).to_have_text(["first", "second"])
    assert save(page) == "first\n\nsecond"


@pytest.mark.turns
def test_cancel_asks_before_it_discards(quiet: Page, server: Installation) -> None:
    """ACC-3."""
    page = quiet
    sign_up(page, server, "carl")
    write(page, server, "carl", "kept")
    asked: list[str] = []

    def dismiss(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.dismiss()

    def accept(dialog: Dialog) -> None:
        asked.append(dialog.message)
        dialog.accept()

    edit(page)
    page.keyboard.type("changed ")
    page.once("dialog", dismiss)
    page.click("[data-cancel-intro]")
    expect(page.locator(".ProseMirror")).to_contain_text("changed")
    page.once("dialog", accept)
    page.click("[data-cancel-intro]")
    expect(page.locator(".intro-text")).to_have_text("kept")
    assert asked == ["Discard changes?"] * 2


@pytest.mark.turns
def test_badges_keep_their_form_and_ratio_through_the_editor(
    page: Page, new_server: Callable[..., Installation], host: str
) -> None:
    """ACC-4: `<img width>` inside a link goes into the editor and comes out again as it was."""
    server = new_server(RUNYARD_PICTURE_HOSTS="127.0.0.1")
    sign_up(page, server, "bada")
    sized = f'[<img src="{host}/badge.svg" alt="sized" width="120">](https://x.com/bada)'
    plain = f"[![plain]({host}/badge.svg)](https://x.com/intent/follow?screen_name=bada)"
    markdown = f"{sized}\n\n{plain}\n\nwords"
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    write(page, server, "bada", markdown)
    for name, width, height in (("sized", 120, 60), ("plain", 200, 100)):
        image = page.locator(f".intro-text a img[alt={name}]")
        image.scroll_into_view_if_needed()
        wait_until(page, f"document.querySelector('.intro-text img[alt={name}]').naturalWidth > 0")
        box = image.bounding_box()
        assert box is not None
        assert (round(box["width"]), round(box["height"])) == (width, height)
    text = edit(page)
    expect(text.locator("img:not(.ProseMirror-separator)")).to_have_count(2)
    wait_until(
        page,
        "[...document.querySelectorAll('.ProseMirror img:not(.ProseMirror-separator)')].every((i) => i.naturalWidth)",
    )
    text.locator("p").last.click()
    page.keyboard.press("End")
    page.keyboard.type(" more")
    assert save(page) == markdown + " more"
    assert [url for url in asked if not url.startswith(server.url)] == []


def test_nothing_in_an_intro_runs_or_asks_another_host(page: Page, server: Installation) -> None:
    """ACC-4: shown on the page, and opened in the editor."""
    sign_up(page, server, "trudy")
    wrong: list[str] = []

    def ask(dialog: Dialog) -> None:
        wrong.append(dialog.message)
        dialog.dismiss()

    def watch(request: Request) -> None:
        if not request.url.startswith((server.url, "data:", "blob:")):
            wrong.append(request.url)

    def follow(frame: Frame) -> None:
        if not frame.url.startswith(server.url):
            wrong.append(frame.url)

    page.on("dialog", ask)
    page.on("request", watch)
    page.on("framenavigated", follow)
    for start in range(0, len(XSS), 8):
        write(page, server, "trudy", "\n\n".join(XSS[start : start + 8]))
        expect(page.locator(".intro-text")).to_be_attached()
        page.wait_for_timeout(200)
        edit(page)
        page.wait_for_timeout(200)
    assert wrong == []
    assert re.search(r"/trudy$", page.url)


@pytest.mark.turns
def test_without_a_script_the_markdown_is_written_in_a_text_field(page: Page, server: Installation) -> None:
    """UI-8."""
    sign_up(page, server, "plain")
    browser = page.context.browser
    assert browser is not None
    context = browser.new_context(java_script_enabled=False, storage_state=page.context.storage_state())
    bare = context.new_page()
    bare.goto(f"{server.url}/plain")
    bare.click("[data-edit-intro]")
    bare.fill("textarea[name=intro]", "**bold** words")
    bare.click("[data-intro-form] button[type=submit]")
    expect(bare.locator(".intro-text strong")).to_have_text("bold")
    context.close()
