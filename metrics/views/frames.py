"""Frames in which custom charts and media are drawn (RUN-26, RUN-42): pages without an origin, which know nothing."""

from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from django.utils.html import format_html, format_html_join
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from access.routes import Open, declare
from access.web.framing import name_ancestors
from common.errors import NotFound
from common.web.origins import page_origin
from metrics.views.media import NOTHING_OF_OURS

_CHART_STYLE = (
    "html,body,#chart{margin:0;height:100%}body{overflow:auto;background:transparent}"
    "#chart{display:block;width:100%}canvas{display:block}"
)
_VIEWER_STYLE = (
    "html,body,#figure{margin:0;height:100%}body{overflow:hidden;background:transparent;font:13px sans-serif}"
    "#figure{position:relative;width:100%}#figure canvas{display:block}"
)
VIEWERS = {"plotly": "", "bokeh": "", "molecule": "", "model": "; connect-src data: blob:"}
"""What each viewer's policy allows besides; models unpack buffers and pictures that are in their file."""


def _framed(request: HttpRequest, page: str, allowed: str = "") -> HttpResponse:
    """Return a page that runs scripts of ours only, in an origin of its own, for frames of ours."""
    scripts = page_origin(request) + static("js/")
    reply = HttpResponse(page)
    name_ancestors(reply, f"{NOTHING_OF_OURS}script-src {scripts}; style-src 'unsafe-inline'{allowed}")
    return reply


@declare(Open.ANYONE)
@require_GET
def vega_frame(request: HttpRequest) -> HttpResponse:
    """Return the page; whoever holds it in a frame sends it a specification and rows."""
    page = format_html(
        '<!doctype html><html lang="{}"><meta charset="utf-8"><title>{}</title><style>{}</style>'
        '<div id="chart" tabindex="0" data-no-addresses="{}" data-count="{}" data-binned="{}"></div>'
        '<script src="{}"></script></html>',
        get_language(),
        _("Chart"),
        _CHART_STYLE,
        _("Charts cannot load data from URLs; they show logged data."),
        _("Row count"),
        _("binned"),
        static("js/frames/vega-frame.js"),
    )
    return _framed(request, page)


@declare(Open.ANYONE)
@require_GET
def viewer_frame(request: HttpRequest, viewer: str) -> HttpResponse:
    """Return the page of a viewer; whoever holds it in a frame sends it a file."""
    if viewer not in VIEWERS:
        raise NotFound(f"Available viewers: {', '.join(VIEWERS)}, not {viewer[:40]!r}.")
    words = {
        "no-figure": _("Not a Plotly figure.")
        if viewer == "plotly"
        else _("Nothing to display in this file."),
        "no-maps": _("Maps need data from other servers, which figures cannot load here."),
        "no-format": _("{ending} files cannot be displayed here."),
        "no-webgl": _("This requires WebGL, which is unavailable or turned off in this browser."),
    }
    page = format_html(
        '<!doctype html><html lang="{}"><meta charset="utf-8"><title>{}</title><style>{}</style><body {}>'
        '<div id="figure" tabindex="0"></div><script src="{}"></script></body></html>',
        get_language(),
        _("Media"),
        _VIEWER_STYLE,
        format_html_join(" ", 'data-{}="{}"', words.items()),
        static(f"js/frames/{viewer}-frame.js"),
    )
    return _framed(request, page, VIEWERS[viewer])
