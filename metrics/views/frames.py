"""The frame in which custom charts are drawn (RUN-26): a page without an origin, which knows nothing by itself."""

from django.http import HttpRequest, HttpResponse
from django.templatetags.static import static
from django.utils.html import format_html
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.http import require_GET

from access.routes import Open, declare
from metrics.views.media import NOTHING_OF_OURS

_STYLE = (
    "html,body,#chart{margin:0;height:100%}body{overflow:auto;background:transparent}"
    "#chart{display:block;width:100%}canvas{display:block}"
)


@declare(Open.ANYONE)
@require_GET
def vega_frame(request: HttpRequest) -> HttpResponse:
    """Return the page; whoever holds it in a frame sends it a specification and rows."""
    reply = HttpResponse(
        format_html(
            '<!doctype html><html lang="{}"><meta charset="utf-8"><title>{}</title><style>{}</style>'
            '<div id="chart" tabindex="0" data-no-addresses="{}" data-count="{}" data-binned="{}"></div>'
            '<script src="{}"></script></html>',
            get_language(),
            _("Chart"),
            _STYLE,
            _("A chart reads no addresses: its data is what was logged."),
            _("Count of rows"),
            _("binned"),
            static("js/vega-frame.js"),
        )
    )
    scripts = request.build_absolute_uri(static("js/"))
    reply["Content-Security-Policy"] = (
        f"{NOTHING_OF_OURS}script-src {scripts}; style-src 'unsafe-inline'; frame-ancestors 'self'"
    )
    reply["X-Frame-Options"] = "SAMEORIGIN"
    return reply
