"""The part of artifacts in the life of runs: a deleted run's versions stay, unless they are to go with it."""

from collections.abc import Collection as Some

from django.db.models import Exists, OuterRef, Q, QuerySet
from django.utils.translation import ngettext

from access.actor import Actor
from artifacts.models import Output, Version
from artifacts.selectors import own_memberships
from artifacts.versions.deletion import delete_version
from common.errors import Conflict, DomainError
from runs.lifecycle.participants import RunParticipant
from runs.models import Project


class ArtifactsRunParticipant(RunParticipant):
    """What belongs to it in this app."""

    def guard_projects(self, projects: "QuerySet[Project]") -> None:
        """Refuse the deletion of projects with protected versions: what is protected is taken by nobody."""
        kept = Q(is_protected=True) | Q(collection__is_protected=True)
        count = Version.objects.live().filter(kept, collection__project__in=projects).count()
        if count:
            raise Conflict(
                ngettext(
                    "%(count)d artifact version is protected from deletion. Remove its protection first.",
                    "%(count)d artifact versions are protected from deletion. Remove their protection first.",
                    count,
                )
                % {"count": count}
            )

    def delete_outputs(self, actor: Actor, run_ids: Some[int]) -> list[str]:
        """Delete the versions that no other run logged; return those that were kept, by name, and why."""
        others = Output.objects.filter(version=OuterRef("pk"), run__deleted_at__isnull=True)
        logged = Output.objects.filter(version=OuterRef("pk"), run__in=run_ids)
        kept = []
        for place in own_memberships(Version.objects.live().filter(Exists(logged), ~Exists(others))):
            try:
                delete_version(actor=actor, version=place.version, with_aliases=True)
            except DomainError as error:
                kept.append(f"{place.collection.name}:{place.label}: {error.message}")
        return kept
