"""Markdown that people write, as HTML that is safe to show: rendered first, then cleaned of what is not listed."""

import re
from urllib.parse import quote

import nh3
from django.core.signing import Signer
from django.urls import reverse
from django.utils.safestring import SafeString, mark_safe
from linkify_it import LinkifyIt
from markdown_it import MarkdownIt


def _reader(*, html: bool) -> MarkdownIt:
    """Return a reader of Markdown that makes links of addresses typed bare, with their scheme."""
    reader = MarkdownIt("commonmark", {"html": html, "linkify": True})
    reader.linkify = LinkifyIt({"ftp:": None, "//": None}, {"fuzzy_link": False, "fuzzy_email": False})
    reader.enable(["table", "strikethrough", "linkify"])
    return reader


_MARKDOWN = _reader(html=False)
_WITH_PICTURES = _reader(html=True)
"""Lets HTML through, for the sake of ``<img width=…>``; what else it lets through falls to nh3."""
_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre",
    "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}
_OF_PICTURES = {"img": {"src", "alt", "title", "width", "height"}}
_SCHEMES = {"http", "https", "mailto"}
_LENGTH = re.compile(r"[1-9][0-9]{0,3}|100%|[1-9][0-9]?%")
_signer = Signer(salt="common.markdown.picture")


def render_markdown(text: str) -> SafeString:
    """Return the HTML of a text; links open without telling where they were followed from.

    Pictures are left out: loading them would tell another host who reads the page.
    """
    html = nh3.clean(
        _MARKDOWN.render(text), tags=_TAGS, attributes=_ATTRIBUTES, url_schemes=_SCHEMES,
        link_rel="noopener noreferrer nofollow",
    )  # fmt: skip
    return mark_safe(html)  # noqa: S308 - nh3 has let through only what is listed above


def render_intro(text: str) -> SafeString:
    """Return the HTML of an intro, with pictures: Markdown's, and ``<img>`` with ``width`` or ``height`` (ACC-4).

    This server fetches the pictures, so that no other host hears who reads the page.
    """
    html = nh3.clean(
        _WITH_PICTURES.render(text), tags=_TAGS | {"img"}, attributes=_ATTRIBUTES | _OF_PICTURES,
        attribute_filter=_attribute, url_schemes=_SCHEMES, link_rel="noopener noreferrer nofollow",
        set_tag_attribute_values={"img": {"loading": "lazy", "decoding": "async"}},
    )  # fmt: skip
    return mark_safe(html)  # noqa: S308 - as above


def _attribute(tag: str, name: str, value: str) -> str | None:
    if tag == "img" and name == "src":
        return picture_url(value) if value.lower().startswith(("https://", "http://")) else None
    if tag == "img" and name in {"width", "height"}:
        return value if _LENGTH.fullmatch(value) else None
    if (
        tag == "a"
        and name == "href"
        and not value.lower().startswith(("https:", "http:", "mailto:", "/", "#"))
    ):
        return None  # "example.com" would be a page of ours
    return value


def picture_url(url: str) -> str:
    """Return the address under which this server shows a picture of another host."""
    signature = _signer.signature(url)
    return f"{reverse('accounts:external_picture')}?url={quote(url, safe='')}&signature={signature}"


def is_signed_picture(url: str, signature: str) -> bool:
    """Whether a page of this server asked for the picture: it fetches no others for strangers."""
    return _signer.signature(url) == signature
