"""Logged pages are shown in the theme where they have no colors of their own."""

import pytest

from metrics.media.pages import framed_page


def test_a_plain_page_takes_the_theme_after_its_doctype():
    page = framed_page(b"<!DOCTYPE html><h1>Evaluation</h1>", "dark")
    assert page.startswith("<!DOCTYPE html><style>:where(html){color-scheme:dark;")
    assert page.endswith("</style><h1>Evaluation</h1>")


@pytest.mark.parametrize(
    "page",
    [
        "<body bgcolor='white'>",
        "<p style='color: black'>",
        "<style>td{background:#eee}</style>",
        "<font color=red>x</font>",
    ],
)
def test_a_page_with_colors_of_its_own_stays_as_it_is(page):
    assert framed_page(page.encode(), "dark") == page


def test_only_known_schemes_reach_the_page():
    assert framed_page(b"<p>x</p>", "</style><script>") == "<p>x</p>"


def test_what_the_sdk_adds_is_taken_out():
    added = b'<link rel="stylesheet" type="text/css" href="https://app.wandb.ai/normalize.css" />'
    assert framed_page(added + b"<p>x</p>", "") == "<p>x</p>"
