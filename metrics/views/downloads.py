"""Downloads from the run page's menu."""

from django.http import HttpRequest, StreamingHttpResponse
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from common.budgets.budget import current
from common.errors import Invalid
from common.web.responses import attachment
from metrics.downloads.formats import DownloadFormat, download
from metrics.models import StreamKind
from runs.access import RunAction
from runs.models import Run
from runs.secrets.reveal import is_revealed
from runs.views.run import run_of

KINDS = {"history": StreamKind.HISTORY, "system": StreamKind.SYSTEM}


def file_of(run: Run, kind: StreamKind, form: str, *, revealed: bool) -> StreamingHttpResponse:
    """Answer with the run's rows as a file, secrets in texts masked unless ``revealed``.

    Raises:
        Invalid: another format.
    """
    if form not in set(DownloadFormat):
        raise Invalid(f"format must be one of {', '.join(DownloadFormat)}, not {form[:40]!r}.")
    current().begin_long_answer()
    chosen = DownloadFormat(form)
    reply = StreamingHttpResponse(
        download(run.pk, kind, chosen, revealed=revealed), content_type=chosen.content_type
    )
    reply["Content-Disposition"] = attachment(f"{run.uid}-{kind.label}.{chosen}")
    return reply


@declare(RunAction.VIEW)
@never_cache
@require_GET
def run_export(request: HttpRequest, kind: str, form: str, **names: str) -> StreamingHttpResponse:
    """Stream history or system metrics as a file (RUN-43)."""
    run = run_of(request, names)
    if kind not in KINDS:
        raise Invalid(f"Use history or system, not {kind[:40]!r}.")
    return file_of(run, KINDS[kind], form, revealed=is_revealed(request, run))
