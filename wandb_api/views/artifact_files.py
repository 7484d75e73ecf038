"""``/artifactsV2/…``: one file of an artifact, by the address that SDKs put together themselves (protocol 1.4)."""

import base64
import mimetypes
from urllib.parse import unquote

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import redirect
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.callers.elevation import HEADER, elevated
from access.limits.request_rates import spend_request
from access.routes import Open, declare
from artifacts.access import ArtifactAction, require_for
from artifacts.manifests.ids import version_key
from artifacts.models import Version
from artifacts.selectors import missing_artifact
from common.errors import DomainError
from storage.signed_urls import tickets
from wandb_api.graphql.errors import body_of, status_of
from wandb_api.resolvers.artifacts.files import entry_with_digest
from wandb_api.views.graphql import actor_of


@declare(Open.ANYONE)
@never_cache
@require_GET
def artifact_file(request: HttpRequest, *, birth: str, digest: str, name: str, **_: str) -> HttpResponse:
    """Lead the holder of an API key to a signed, expiring address of the file."""
    try:
        return redirect(_address(request, birth, digest, name))
    except DomainError as error:
        return JsonResponse(body_of(error.message, error.code), status=status_of(error))


def _address(request: HttpRequest, birth: str, digest: str, name: str) -> str:
    """Return where the file is.

    Raises:
        NotFound: there is none with this digest in the version, or the version may not be seen.
        Forbidden: the actor may not download it.
    """
    actor = elevated(actor_of(request), request.headers.get(HEADER, ""), what="artifactsV2")
    spend_request(request, actor, what="graphql", limit=settings.GRAPHQL_RATE, setting="RUNYARD_GRAPHQL_RATE")
    version = _version(birth)
    entry = None if version is None else entry_with_digest(actor, version, _md5(digest), name)
    if entry is None or entry.content is None:
        raise missing_artifact(f"with the file “{name}”")
    require_for(actor, ArtifactAction.DOWNLOAD, entry.version)
    content_type = mimetypes.guess_type(entry.path)[0] or "application/octet-stream"
    return tickets.get_path(entry.content.blob, name=entry.path, content_type=content_type, download=True)


def _version(birth: str) -> Version | None:
    return Version.objects.filter(pk=version_key(unquote(birth)) or 0).first()


def _md5(digest: str) -> str:
    """Return the base64 of a hexadecimal digest; as it is if it is none."""
    try:
        return base64.b64encode(bytes.fromhex(digest)).decode()
    except ValueError:
        return digest
