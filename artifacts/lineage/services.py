"""What changes lineage: a run says that it uses a version; what it logs is noted at the commit."""

from django.db import transaction

from access.actor import Actor
from access.engine import require
from artifacts.access import ArtifactAction, require_for
from artifacts.models import Use, Version
from common.errors import Conflict
from common.formats.lenient_json import clean_text
from runs.access import RunAction
from runs.models import Run


@transaction.atomic
def use_version(*, actor: Actor, run: Run, version: Version, used_as: str = "") -> Use:
    """Record that a run uses a version; once, however often it is asked.

    Raises:
        Conflict: the version is a draft or deleted.
    """
    require(actor, RunAction.LOG, run)
    require_for(actor, ArtifactAction.VIEW, version)
    if not Version.objects.live().filter(pk=version.pk).exists():
        raise Conflict("Only a committed version can be used; this one is a draft or was deleted.")
    use, _ = Use.objects.get_or_create(
        run=run, version=version, defaults={"used_as": clean_text(used_as)[:128]}
    )
    return use
