"""The part of artifacts in the life of runs: a deleted run's versions stay, unless they are to go with it."""

from collections.abc import Collection as Some
from collections.abc import Iterator

from django.db.models import Count, Exists, OuterRef, Q, QuerySet, Sum
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from access.actor import Actor
from access.engine import visible
from artifacts.access import ArtifactAction
from artifacts.models import Content, Entry, Membership, Output, Version, VersionState
from artifacts.pages.addresses import names_of, version_page
from artifacts.selectors import entries_of, outputs_of, own_memberships, versions_seen
from artifacts.versions.deletion import delete_version
from artifacts.versions.protection import protected_names
from common.errors import Conflict, DomainError
from runs.lifecycle.participants import CodeFile, CodeSource, RunParticipant
from runs.models import Project, Run
from storage.contents.reading import content_of

_CODE = "code"
"""The type that `wandb.Run.log_code` gives its artifacts."""
_MOST_CODE = 5
"""Versions whose files are listed."""
_MOST_UNFINISHED = 20
"""Collections that are named, of those with drafts of a run."""


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
        named = protected_names(Version.objects.live().filter(collection__project__in=projects)).first()
        if named is not None:
            raise Conflict(
                _(
                    "A version has the protected alias “%(alias)s” in a registry. A registry admin must remove "
                    "it first."
                )
                % {"alias": named.name}
            )

    def delete_outputs(self, actor: Actor, run_ids: Some[int]) -> list[str]:
        """Delete the versions that no other run logged; return those that were kept, by name, and why."""
        kept = []
        for place in own_memberships(_outputs_of(actor, run_ids)):
            try:
                delete_version(actor=actor, version=place.version, with_aliases=True)
            except DomainError as error:
                kept.append(f"{place.collection.name}:{place.label}: {error.message}")
        return kept

    def unfinished_outputs(self, run: Run) -> list[str]:
        """Return the collections of the run's project for which it left a draft, a version that it did not complete."""
        drafts = Version.objects.filter(
            run=run, state=VersionState.DRAFT, deleted_at=None, collection__project=run.project_id
        )
        names = drafts.order_by("collection__name").values_list("collection__name", flat=True).distinct()
        return list(names[:_MOST_UNFINISHED])

    def code_sources(self, actor: Actor, run: Run, limit: int) -> Iterator[CodeSource]:
        """Yield the versions of code that the run logged and whose files the actor may download."""
        readable = versions_seen(actor, ArtifactAction.DOWNLOAD)
        logged = outputs_of(actor, run).filter(version__in=readable, collection__type__name=_CODE)
        for place in logged[:_MOST_CODE]:
            name = f"{place.collection.name}:{place.label}"
            entries = entries_of(place.version).filter(content__isnull=False)[:limit]
            files = [_code_file(place, name, entry, entry.content) for entry in entries if entry.content]
            yield CodeSource(name, version_page(place, "files"), files)

    def count_outputs(self, actor: Actor, run_ids: Some[int]) -> tuple[int, int]:
        """Return how many versions that no other run logged the actor sees, and the bytes of their files."""
        found = _outputs_of(actor, run_ids).order_by().aggregate(count=Count("pk"), size=Sum("size_bytes"))
        return found["count"], found["size"] or 0


def _code_file(place: Membership, source: str, entry: Entry, content: Content) -> CodeFile:
    address = reverse("artifacts:file", args=[*names_of(place.collection), place.label, entry.path])
    return CodeFile(source, entry.path, entry.size_bytes or 0, address, content_of(content.blob))


def _outputs_of(actor: Actor, run_ids: Some[int]) -> QuerySet[Version]:
    """Return the versions that the actor sees and no other run has logged, but for deleted ones."""
    logged = Output.objects.filter(version=OuterRef("pk"), run__in=run_ids)
    others = Output.objects.filter(version=OuterRef("pk"), run__deleted_at__isnull=True).exclude(
        run__in=run_ids
    )
    return visible(actor, ArtifactAction.VIEW, Version.objects.live().filter(Exists(logged), ~Exists(others)))
