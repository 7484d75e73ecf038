"""Markdown that people write, as HTML that is safe to show: CommonMark with tables, without raw HTML."""

import nh3
from django.utils.safestring import SafeString, mark_safe
from markdown_it import MarkdownIt

_MARKDOWN = MarkdownIt("commonmark", {"html": False, "linkify": False}).enable(["table", "strikethrough"])
_TAGS = {
    "a", "blockquote", "br", "code", "del", "em", "h1", "h2", "h3", "h4", "h5", "h6", "hr", "li", "ol", "p", "pre",
    "s", "strong", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {"a": {"href", "title"}, "ol": {"start"}}


def render_markdown(text: str) -> SafeString:
    """Return the HTML of a text; links open without telling where they were followed from.

    Pictures are left out: loading them would tell another host who reads the page.
    """
    html = nh3.clean(
        _MARKDOWN.render(text), tags=_TAGS, attributes=_ATTRIBUTES, url_schemes={"http", "https", "mailto"},
        link_rel="noopener noreferrer nofollow",
    )  # fmt: skip
    return mark_safe(html)  # noqa: S308 - nh3 has let through only what is listed above
