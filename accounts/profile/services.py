"""What people and teams tell about themselves: words, links, the intro, the picture.

A person, team or organization is a row with a ``claim``, its name; the profile belongs to that name. Apps above say
which action changes the profile of their rows.
"""

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, fields
from typing import Any, Protocol, cast

from django.core.exceptions import ValidationError
from django.core.files.uploadedfile import UploadedFile
from django.core.validators import URLValidator
from django.db import transaction
from django.db.models import Model
from django.utils.translation import gettext as _

from access.actor import Actor
from access.audit.log import record
from access.engine import require
from accounts.models import Name, Picture, Profile
from accounts.profile.pictures import Crop, digest_of, to_picture
from common.errors import Invalid

MAX_LINKS = 6
MAX_INTRO = 50_000
_is_web_address = URLValidator(schemes=["http", "https"])
_actions: dict[str, str] = {}


class Named(Protocol):
    """A row that holds a name."""

    pk: Any
    claim: Name
    display_name: str


@dataclass(frozen=True, slots=True)
class Link:
    """A place elsewhere."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class ProfileFields:
    """The short parts of a profile."""

    bio: str = ""
    institution: str = ""
    location: str = ""
    links: list[Link] = field(default_factory=list)


_WORDS = frozenset(one.name for one in fields(ProfileFields))


def register_profile(model: str, action: str) -> None:
    """Let who may do ``action`` on rows of ``model`` change their profiles; called in ``AppConfig.ready``."""
    _actions[model] = str(action)


def profile_action(row: Named) -> str:
    """Return the action that changes the row's profile."""
    return _actions[cast("Model", row)._meta.label]


def profile_of(row: Named) -> Profile:
    """Return the profile, an empty one that is not saved if nothing was told yet."""
    return Profile.objects.filter(claim=row.claim).first() or Profile(claim=row.claim)


def _check(words: ProfileFields) -> None:
    if len(words.links) > MAX_LINKS:
        raise Invalid(_("A profile can have at most %(n)s links.") % {"n": MAX_LINKS})
    for link in words.links:
        try:
            _is_web_address(link.url)
        except ValidationError:
            problem = _("“%(url)s” is not a web address. It must begin with https:// or http://.")
            raise Invalid(problem % {"url": link.url}) from None


def _may_change(actor: Actor, row: Named) -> dict[str, Any]:
    """Check the permission; return how the audit log files the row."""
    require(actor, profile_action(row), cast("Model", row))
    label = cast("Model", row)._meta.label
    places = {"teams.Team": "team_id", "teams.Organization": "organization_id"}
    return {places[label]: row.pk} if label in places else {}


@transaction.atomic
def change_words(*, actor: Actor, row: Named, words: ProfileFields, display_name: str | None = None) -> None:
    """Store institution, location, bio and links, and the display name unless it is None (ACC-1).

    Raises:
        Invalid: too many links, or one that leads to no web page.
    """
    owner = _may_change(actor, row)
    _check(words)
    stored = {**asdict(words), "links": [asdict(link) for link in words.links]}
    Profile.objects.update_or_create(claim=row.claim, defaults=stored)
    if display_name is not None:
        stored["display_name"] = row.display_name = display_name.strip()
        cast("Model", row).save(update_fields=["display_name", "updated_at"])
    record(actor, profile_action(row), cast("Model", row), after=stored, **owner)


@transaction.atomic
def change_profile(*, actor: Actor, row: Named, given: Mapping[str, Any]) -> None:
    """Store those parts of a profile that are given, by the names of its fields; the others stay.

    The ``display_name`` is one of them. Links are {"label", "url"}.
    """
    if given.keys() & {*_WORDS, "display_name"}:
        profile = profile_of(row)
        words = {name: given.get(name, getattr(profile, name)) for name in _WORDS}
        words["links"] = [Link(**link) for link in words["links"]]
        change_words(
            actor=actor, row=row, words=ProfileFields(**words), display_name=given.get("display_name")
        )
    if "intro" in given:
        change_intro(actor=actor, row=row, intro=given["intro"])


@transaction.atomic
def rename(*, actor: Actor, row: Named, display_name: str) -> None:
    """Change what pages call a row, and nothing else."""
    owner, model = _may_change(actor, row), cast("Model", row)
    before, row.display_name = row.display_name, display_name.strip()
    model.save(update_fields=["display_name", "updated_at"])
    after = {"display_name": row.display_name}
    record(actor, profile_action(row), model, before={"display_name": before}, after=after, **owner)


@transaction.atomic
def change_intro(*, actor: Actor, row: Named, intro: str) -> None:
    """Store the Markdown of an intro as it was written; it is made safe wherever it is shown (ACC-3, ACC-4).

    Raises:
        Invalid: it is too long.
    """
    owner = _may_change(actor, row)
    text = intro.replace("\r\n", "\n").strip()
    if len(text) > MAX_INTRO:
        problem = _("An intro can have at most %(most)s characters; this one has %(n)s.")
        raise Invalid(problem % {"most": MAX_INTRO, "n": len(text)})
    Profile.objects.update_or_create(claim=row.claim, defaults={"intro": text})
    record(actor, profile_action(row), cast("Model", row), after={"intro": text[:2000]}, **owner)


def change_picture(
    *, actor: Actor, row: Named, upload: UploadedFile[bytes], crop: Crop | None = None
) -> None:
    """Store a picture, cropped to a square and made anew of its pixels alone (ACC-1, TEAM-6).

    Raises:
        Invalid, TooLarge: why it cannot be taken.
    """
    owner = _may_change(actor, row)
    content = to_picture(upload, crop)
    digest = digest_of(content)
    with transaction.atomic():
        Picture.objects.update_or_create(claim=row.claim, defaults={"digest": digest, "content": content})
        Name.objects.filter(pk=row.claim.pk).update(picture=digest)
        row.claim.picture = digest
        record(actor, profile_action(row), cast("Model", row), after={"picture": digest}, **owner)


@transaction.atomic
def remove_picture(*, actor: Actor, row: Named) -> None:
    """Let initials stand for the name again."""
    owner = _may_change(actor, row)
    Picture.objects.filter(claim=row.claim).delete()
    Name.objects.filter(pk=row.claim.pk).update(picture="")
    row.claim.picture = ""
    record(actor, profile_action(row), cast("Model", row), after={"picture": ""}, **owner)


def delete_profile(claim: Name) -> None:
    """Remove all that was told and shown under a name; call when its owner is deleted, in that transaction."""
    Profile.objects.filter(claim=claim).delete()
    Picture.objects.filter(claim=claim).delete()
    Name.objects.filter(pk=claim.pk).update(picture="")
