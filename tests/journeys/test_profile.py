"""Profiles in a real Chromium: the crop tool, the theme in every tab, the language (ACC-1, ACC-5, UI-9)."""

from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image
from playwright.sync_api import Page, expect

from tests import clients
from tests.browser import listen_to, wait_until
from tests.installation import Installation
from tests.journeys.people import sign_up

pytestmark = pytest.mark.browser
RED, BLUE = (220, 30, 30), (30, 30, 220)
THEME = "document.documentElement.dataset.bsTheme"


@pytest.fixture
def wide_picture(tmp_path: Path) -> Path:
    """Red at the left, blue at the right."""
    image = Image.new("RGB", (600, 300), RED)
    image.paste(BLUE, (300, 0, 600, 300))
    path = tmp_path / "wide.png"
    image.save(path)
    return path


def shown_picture(page: Page, server: Installation) -> Image.Image:
    path = page.locator(".picture-panel img.avatar").get_attribute("src")
    return Image.open(BytesIO(clients.request("GET", f"{server.url}{path}").content)).convert("RGB")


def is_near(pixel: object, color: tuple[int, int, int]) -> bool:
    assert isinstance(pixel, tuple)
    return all(abs(got - want) < 40 for got, want in zip(pixel, color, strict=True))


def test_a_picture_is_cropped_by_the_keyboard_and_removed(
    quiet: Page, server: Installation, wide_picture: Path
) -> None:
    """ACC-1, UI-5."""
    page = quiet
    sign_up(page, server, "cora")
    page.goto(f"{server.url}/settings/profile")
    page.set_input_files("input[type=file]", wide_picture)
    canvas = page.locator("[data-crop-canvas]")
    expect(canvas).to_be_visible()
    expect(canvas).to_be_focused()
    page.keyboard.press("+")
    for _ in range(60):
        page.keyboard.press("ArrowRight")
    expect(page.locator("[data-crop-zoom]")).to_have_value("1.1")
    page.click("[data-crop-done]")
    expect(page.locator(".toast-note")).to_contain_text("Picture saved.")
    image = shown_picture(page, server)
    assert image.size == (256, 256)
    assert is_near(image.getpixel((5, 128)), BLUE)
    expect(page.locator(".topbar img.avatar")).to_have_count(1)
    page.click("button[name=remove]")
    expect(page.locator("img.avatar")).to_have_count(0)


@pytest.mark.turns
def test_a_picture_is_dragged_and_cancelled(quiet: Page, server: Installation, wide_picture: Path) -> None:
    """ACC-1."""
    page = quiet
    sign_up(page, server, "dora")
    page.goto(f"{server.url}/settings/profile")
    page.set_input_files("input[type=file]", wide_picture)
    page.click("#crop [data-closes]")
    expect(page.locator("#crop")).to_be_hidden()
    page.set_input_files("input[type=file]", wide_picture)
    box = page.locator("[data-crop-canvas]").bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + 20, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 320, box["y"] + 100, steps=10)
    page.mouse.up()
    page.click("[data-crop-done]")
    expect(page.locator(".toast-note")).to_contain_text("Picture saved.")
    assert is_near(shown_picture(page, server).getpixel((250, 128)), RED)


@pytest.mark.turns
def test_what_is_no_picture_is_refused_before_it_is_sent(
    quiet: Page, server: Installation, tmp_path: Path
) -> None:
    page = quiet
    sign_up(page, server, "nora")
    page.goto(f"{server.url}/settings/profile")
    for name, content, says in (
        ("x.png", b"no picture", "Choose a PNG, JPEG or WebP image"),
        ("y.png", b"x" * (5 * 1024 * 1024 + 1), "larger than 5 MB"),
    ):
        path = tmp_path / name
        path.write_bytes(content)
        page.set_input_files("input[type=file]", path)
        expect(page.locator(".toast-note").filter(has_text=says)).to_be_visible()
        expect(page.locator("#crop")).to_be_hidden()


@pytest.mark.turns
def test_the_theme_is_at_once_in_every_tab_and_browser(quiet: Page, server: Installation) -> None:
    """ACC-5."""
    page = quiet
    page.emulate_media(color_scheme="light")
    sign_up(page, server, "luna")
    page.goto(f"{server.url}/settings/language")
    other = page.context.new_page()
    said = listen_to(other)
    other.emulate_media(color_scheme="light")
    other.goto(f"{server.url}/luna")
    assert other.evaluate(THEME) == "light"
    with page.expect_response("**/settings/theme"):
        page.click(".themes [data-theme-choice=dark]")
    assert page.evaluate(THEME) == "dark"
    wait_until(other, f"{THEME} === 'dark'")
    expect(page.locator(".themes [data-theme-choice=dark]")).to_have_attribute("aria-pressed", "true")
    expect(other.locator("#user-menu [data-theme-choice=dark]")).to_have_attribute("aria-pressed", "true")

    # another browser, without a script, hears it from the server
    browser = page.context.browser
    assert browser is not None
    elsewhere = browser.new_context(java_script_enabled=False, storage_state=page.context.storage_state())
    plain = elsewhere.new_page()
    plain.goto(f"{server.url}/settings/language")
    expect(plain.locator("html")).to_have_attribute("data-bs-theme", "dark")
    plain.click(".themes [data-theme-choice=light]")
    expect(plain.locator("html")).to_have_attribute("data-bs-theme", "light")
    elsewhere.close()

    page.click("[popovertarget=user-menu]")
    with page.expect_response("**/settings/theme"):
        page.click("#user-menu [data-theme-choice=system]")
    page.reload()
    assert page.evaluate(THEME) == "light"
    page.emulate_media(color_scheme="dark")
    wait_until(page, f"{THEME} === 'dark'")
    assert said == []


@pytest.mark.turns
def test_a_visitor_s_theme_stays_in_the_browser(quiet: Page, server: Installation) -> None:
    """ACC-5: until somebody signs in, whose own choice then counts."""
    page = quiet
    page.emulate_media(color_scheme="light")
    page.goto(f"{server.url}/accounts/login/")
    page.evaluate("localStorage.setItem('runyard-theme', 'dark')")
    page.reload()
    assert page.evaluate(THEME) == "dark"
    sign_up(page, server, "vera")
    assert page.evaluate(THEME) == "light"
