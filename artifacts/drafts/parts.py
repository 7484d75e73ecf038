"""Files of drafts that come in parts."""

from collections.abc import Sequence

from access.actor import Actor
from artifacts.drafts.services import drafts_for
from artifacts.drafts.uploads import receive_file
from artifacts.models import DirectUpload, PartsUpload, Version
from common.errors import NotFound
from storage import parts as stored_parts
from storage.buckets.services import backend_of
from storage.services import storing


def _upload(version: Version, key: str) -> PartsUpload:
    upload = PartsUpload.objects.select_related("content").filter(version=version, key=key).first()
    if upload is None:
        raise NotFound("This upload doesn’t exist, or was given up. Ask for new addresses of its parts.")
    return upload


def _direct(version: Version, key: str) -> DirectUpload | None:
    """Return an upload whose parts went straight to a bucket, if it is one."""
    return DirectUpload.objects.filter(version=version, key=key).exclude(parts_id="").first()


def complete_parts(*, actor: Actor, version: Version, key: str, parts: Sequence[tuple[int, str]]) -> str:
    """Put a file together of its parts, in constant memory, and return its MD5; again returns the same.

    Args:
        actor: Who sends the file.
        version: The draft.
        key: The upload's id.
        parts: Number and ETag of each part.

    Raises:
        Invalid: a part is missing or has other bytes, or the whole is not what was announced.
        Unavailable: it is being put together just now, or its bucket does not answer.
    """
    drafts_for(actor, Version.objects.filter(pk=version.pk))
    direct = _direct(version, key)
    if direct is not None:
        backend_of(direct.bucket_id).complete_parts(direct.location, direct.parts_id, parts)
        return direct.md5
    upload = _upload(version, key)
    if upload.content is not None:
        return upload.md5
    team_id = version.project.team_id
    with stored_parts.assemble(key, parts) as received, storing(received, team_id) as blob:
        ticket = {"v": version.pk, "n": upload.path, "h": upload.md5}
        upload.content = receive_file(ticket, blob)
        upload.save(update_fields=["content"])
    stored_parts.discard(key)
    return upload.md5


def give_up_parts(*, actor: Actor, version: Version, key: str) -> None:
    """Drop the parts of a file that have come."""
    drafts_for(actor, Version.objects.filter(pk=version.pk))
    direct = _direct(version, key)
    if direct is not None:
        backend_of(direct.bucket_id).give_up_parts(direct.location, direct.parts_id)
        direct.delete()
        return
    upload = _upload(version, key)
    upload.delete()
    stored_parts.discard(key)
