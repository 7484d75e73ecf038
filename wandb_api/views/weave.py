"""What Weave is told, which is not part of Runyard: scripts that import it go on without it.

`import weave` after `wandb.init` asks `/traces/server_info` and ends the script unless it is answered as it expects.

Source: weave 0.54.0, weave/trace/weave_init.py `init_weave`, weave/trace/init_message.py `check_min_weave_version`.
"""

from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt

from access.routes import Open, declare
from common.errors import NotFound

_TEXT = "Weave is not part of Runyard; set WEAVE_DISABLED=true"
_NO_RELEASE = "9999+weave.is.not.part.of.runyard.set.WEAVE_DISABLED.to.true"
"""The least release that is served: none is, so that Weave switches itself off. Its warning has this text in it, which
has to be a version (PEP 440)."""


@declare(Open.ANYONE)
def server_info(_request: HttpRequest) -> HttpResponse:
    """Answer so that Weave warns and switches itself off."""
    return JsonResponse(
        {"min_required_weave_python_version": _NO_RELEASE, "trace_server_version": "0", "message": _TEXT}
    )


@declare(Open.ANYONE)
@csrf_exempt
def nothing(_request: HttpRequest, rest: str) -> HttpResponse:
    """Refuse everything else, in words."""
    body = {"error": {"code": NotFound.code, "message": _TEXT, "detail": None}, "detail": _TEXT}
    return JsonResponse(body, status=NotFound.status)
