"""Files that a draft takes over from another project, of which SDKs send nothing: drafts of versions that are there."""

from collections.abc import Iterable

from django.db import transaction

from access.actor import Actor
from artifacts.access import ArtifactAction
from artifacts.contents import contents_named, hold_all
from artifacts.manifests.document import ManifestEntry
from artifacts.manifests.ids import version_key
from artifacts.models import Entry, Version
from artifacts.selectors import versions_seen
from storage.models import Blob

_AT_ONCE = 500


def adopt(actor: Actor, draft: Version, entries: Iterable[ManifestEntry]) -> None:
    """Let the draft's project hold what entries say came first with a version elsewhere, if the actor may download it.

    A version that took the file over serves as well as the one that had it first, which may be deleted. Of what the
    actor may not download nothing is held, and the commit says of it what it says of a file that nobody has.
    """
    births = {entry.digest: version_key(entry.birth_id) for entry in entries if not entry.reference}
    elsewhere = {digest: birth for digest, birth in births.items() if birth not in {None, draft.pk}}
    project = draft.collection.project
    held = contents_named(project.pk, list(elsewhere))
    missing = [(digest, birth) for digest, birth in elsewhere.items() if digest not in held]
    for start in range(0, len(missing), _AT_ONCE):
        blobs = _downloadable(actor, dict(missing[start : start + _AT_ONCE]))
        with transaction.atomic():
            hold_all(project, blobs)


def _downloadable(actor: Actor, births: dict[str, int | None]) -> list[Blob]:
    """Return the contents with these digests of files that came first with these versions."""
    rows = Entry.objects.filter(birth_version_id__in=set(births.values()), digest__in=births)
    named = rows.values_list("digest", "birth_version_id", "version_id", "content__blob_id")
    found = [row for row in named.order_by() if births[row[0]] == row[1] and row[3] is not None]
    versions = Version.objects.filter(pk__in={row[2] for row in found})
    allowed = set(
        versions.filter(pk__in=versions_seen(actor, ArtifactAction.DOWNLOAD)).values_list("pk", flat=True)
    )
    wanted = {digest: blob for digest, _birth, version, blob in found if version in allowed}
    return list(Blob.objects.filter(pk__in=set(wanted.values())))
