"""Pages that somebody logged, as frames show them."""

import re

_NORMALIZE = re.compile(
    r'<link rel="stylesheet" type="text/css" href="https://[^"]{1,80}/normalize\.css" ?/?>'
)
"""What the SDK adds to every page, from a host that the page may not reach."""
_OWN_COLORS = re.compile(r"background|bgcolor|color-scheme|[\s;{\"']color\s*[:=]", re.IGNORECASE)
_DOCTYPE = re.compile(r"\s*<!doctype[^>]{0,200}>", re.IGNORECASE)
_STYLE = (
    "<style>:where(html){{color-scheme:{scheme};font:13px/1.5 Inter,system-ui,sans-serif}}"
    ":where(body){{margin:12px}}:where(table){{border-collapse:collapse;font:inherit}}"
    ":where(th,td){{padding:2px 8px;text-align:start}}</style>"
)
SCHEMES = frozenset({"light", "dark"})


def framed_page(content: bytes, scheme: str) -> str:
    """Return a page for a frame; one without colors of its own takes those of the theme, and a plain face."""
    page = _NORMALIZE.sub("", content.decode(errors="replace"))
    if scheme not in SCHEMES or _OWN_COLORS.search(page):
        return page
    doctype = _DOCTYPE.match(page)
    at = doctype.end() if doctype else 0
    return page[:at] + _STYLE.format(scheme=scheme) + page[at:]
