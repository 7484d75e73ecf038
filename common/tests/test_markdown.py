"""Markdown as safe HTML, and pictures of other hosts (ACC-4)."""

import re

import pytest

from common.markdown import is_signed_picture, picture_url, render_intro, render_markdown

BADGE = "[![X: @ada](https://img.shields.io/twitter/follow/ada?style=social)](https://x.com/intent/follow?screen_name=ada)"
SIZED = '[<img src="https://img.shields.io/b.svg" width="120" alt="follow">](https://x.com/ada)'

ALLOWED = ("/pictures/external?url=http", "https://", "http://", "/accounts", "//a.example")

XSS = [
    "<script>alert(1)</script>",
    "<img src=x onerror=alert(1)>",
    '<img src="https://a.example/x.png" onload="alert(1)">',
    "<svg onload=alert(1)><script>alert(1)</script></svg>",
    "<math><mtext><table><mglyph><style><img src=x onerror=alert(1)></style></table></mtext></math>",
    "[x](javascript:alert(1))",
    "[x](JaVaScRiPt:alert(1))",
    "[x](java&#x09;script:alert(1))",
    "<a href='java\tscript:alert(1)'>x</a>",
    "[x](data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==)",
    "[x](vbscript:msgbox(1))",
    "![x](javascript:alert(1))",
    "![x](data:image/svg+xml,<svg onload=alert(1)>)",
    '![x](https://a.example/x.png"onerror="alert(1))',
    '<a href="https://a.example" onclick="alert(1)" style="position:fixed;inset:0">x</a>',
    "<iframe src=https://a.example></iframe><object data=x></object><embed src=x>",
    "<form action=https://a.example><input name=q><button>go</button></form>",
    "<base href=https://a.example/><link rel=stylesheet href=https://a.example/x.css>",
    "<meta http-equiv=refresh content='0;url=https://a.example'>",
    "<style>@import url(https://a.example/x.css);</style>",
    "<video src=https://a.example/x onerror=alert(1) autoplay></video><audio src=x></audio>",
    '<img srcset="https://a.example/x.png 2x" src="https://a.example/y.png">',
    "<picture><source srcset=https://a.example/x.png></picture>",
    "<details open ontoggle=alert(1)>x</details>",
    "<div style='background:url(https://a.example/x.png)' id=main class=topbar>x</div>",
    "<template><img src=x onerror=alert(1)></template>",
    "<noscript><p title='</noscript><img src=x onerror=alert(1)>'></noscript>",
    "<!--><img src=x onerror=alert(1)>-->",
    "<![CDATA[><img src=x onerror=alert(1)>]]>",
    "<a href='//a.example/x' target=_blank>x</a> <a href='/accounts/logout/'>x</a>",
    "<button popovertarget=user-menu>x</button><p hx-get=/search hx-trigger=load>x</p>",
    "`<script>alert(1)</script>`\n\n    <script>alert(1)</script>",
    "<scr<script>ipt>alert(1)</scr</script>ipt>",
]


@pytest.mark.parametrize("text", XSS)
def test_nothing_that_runs_or_loads_is_left(text: str):
    html = str(render_intro(text))
    tags = re.findall(r"<[^>]*>", html)
    assert all(
        re.match(r"</?(a|p|img|code|pre|em|strong|ul|ol|li|table|t\w+|br|blockquote|h\d)\b", tag)
        for tag in tags
    )
    for tag in tags:
        assert not re.search(r"\s(on\w+|style|srcset|hx-\w+|id|class|target)=", tag), tag
        for address in re.findall(r'(?:src|href)="([^"]*)"', tag):
            assert address.startswith(ALLOWED), tag


def test_the_follow_badge_is_a_picture_inside_a_link():
    """ACC-4."""
    html = render_intro(BADGE)
    assert '<a href="https://x.com/intent/follow?screen_name=ada"' in html
    assert (
        'src="/pictures/external?url=https%3A%2F%2Fimg.shields.io%2Ftwitter%2Ffollow%2Fada%3Fstyle%3Dsocial'
        in html
    )
    assert 'alt="X: @ada"' in html


@pytest.mark.parametrize(
    ("given", "kept"),
    [("120", True), ("50%", True), ("100%", True), ("0", False), ("99999", False), ("expression(1)", False)],
)
def test_width_and_height_of_an_img_stay_if_they_are_lengths(given: str, kept: bool):
    """ACC-4: one of the two alone leaves the other to the browser, which keeps the ratio."""
    html = render_intro(SIZED.replace("120", given))
    assert (f'width="{given}"' in html) is kept
    assert "height=" not in html
    assert '<a href="https://x.com/ada"' in html


def test_notes_and_descriptions_still_show_no_pictures():
    assert "<img" not in render_markdown(BADGE + SIZED)


def test_a_picture_is_shown_only_with_the_signature_of_its_address():
    url = "https://a.example/x.png?a=1&b=2"
    signature = picture_url(url).rpartition("signature=")[2]
    assert is_signed_picture(url, signature)
    assert not is_signed_picture(url + "3", signature)
    assert not is_signed_picture(url, "")


def test_addresses_typed_bare_are_links():
    """ACC-3: as the editor shows them; what only looks like an address stays text."""
    html = str(render_intro("at https://example.com/a?b=1. `https://in.code` [t](https://x.org)"))
    assert '<a href="https://example.com/a?b=1" rel="noopener noreferrer nofollow">' in html
    assert "<code>https://in.code</code>" in html
    assert html.count("<a ") == 2
    for text in (
        "main.py",
        "www.example.com",
        "ada@example.com",
        "ftp://example.com",
        "//example.com",
        "javascript:x",
    ):
        assert "<a" not in render_intro(text), text
