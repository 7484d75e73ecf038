"""A team's own bucket: connected by an organization's admin, and never without moving what the team has (TEAM-40)."""

import json
from collections.abc import Mapping
from urllib.parse import urlsplit

from django.db import transaction
from django.utils import timezone
from django.utils.translation import gettext as _

from access.actor import SYSTEM, Actor
from access.audit.log import record
from access.engine import require
from common.crypto import seal
from common.errors import Conflict, Invalid, TooManyRequests
from common.rate_limits import count
from storage.buckets import services
from storage.models import Bucket, BucketMove
from storage.team_buckets import moving
from storage.team_buckets.probe import check_in_time
from teams.access import TeamAction
from teams.models import Team

CHECKS, CHECKS_WINDOW_S = 20, 60
"""How often somebody may have buckets checked: each waits for a server that they name."""
CHECKED = "checks of buckets"


def connect(*, actor: Actor, team: Team, url: str, credentials: Mapping[str, str]) -> BucketMove:
    """Let a bucket take the team's files from now on, and begin to move there what the team has.

    Args:
        actor: Who connects it.
        team: Whose it is.
        url: As for `storage.backends.settings.build_backend`.
        credentials: Likewise; never empty, or the server's own would open the bucket.

    Raises:
        Invalid: the address or the credentials cannot be right.
        StorageUnavailable: the bucket cannot be used; says which permission is missing.
        Conflict: files of the team are being moved.
        TooManyRequests: the actor has had buckets checked often enough.
    """
    require(actor, TeamAction.MANAGE_STORAGE, team)
    _require_rest(team)
    bucket = checked_bucket(actor, url, credentials)  # outside of a transaction: it waits for the bucket
    with transaction.atomic():
        before = _lock(team)
        if before is not None:
            before.team = None
            before.save(update_fields=["team"])
        bucket.team = team
        bucket.save()
        return _begin(actor, "team.connect_bucket", team, before or services.default_bucket(), bucket)


def checked_bucket(actor: Actor, url: str, credentials: Mapping[str, str]) -> Bucket:
    """Return a bucket that is nobody's and not stored yet, after it did all that will be asked of it.

    Takes up to `storage.team_buckets.probe.WAIT_S`, in no transaction; raises as `connect`.
    """
    bucket = Bucket(
        url=url.strip(), folder=services.new_folder(), sealed_credentials=_sealed(credentials),
        checked_at=timezone.now(),
    )  # fmt: skip
    _check(actor, bucket)
    return bucket


def give_to_new_team(*, actor: Actor, team: Team, bucket: Bucket) -> None:
    """Store a checked bucket as that of a team which has nothing to move, in the transaction that creates it."""
    require(actor, TeamAction.MANAGE_STORAGE, team)
    bucket.team = team
    bucket.save()
    _record(actor, "team.connect_bucket", team, {"bucket": str(bucket)})


@transaction.atomic
def disconnect(*, actor: Actor, team: Team) -> BucketMove:
    """Let the team's files go where those of others go, and begin to move back what the team has.

    Raises:
        Conflict: the team has no bucket, or its files are being moved.
    """
    require(actor, TeamAction.MANAGE_STORAGE, team)
    before = _lock(team)
    if before is None:
        raise Conflict(_("This team has no bucket of its own."))
    before.team = None
    before.save(update_fields=["team"])
    return _begin(actor, "team.disconnect_bucket", team, before, services.default_bucket())


def begin_default_moves() -> list[BucketMove]:
    """Begin to move what teams without a bucket of their own have elsewhere to where their new files go.

    So it is once the settings name another place. Moves of such teams that are under way are among those returned.
    """
    target = services.default_bucket()
    target_id = target.pk if target else None
    begun = []
    for team in Team.objects.filter(bucket=None).order_by("pk"):
        with transaction.atomic():
            if _lock_without_bucket(team) and (move := _default_move(team, target_id)):
                begun.append(move)
    return begun


def _lock_without_bucket(team: Team) -> bool:
    Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    return not Bucket.objects.filter(team=team).exists()


def _default_move(team: Team, target_id: int | None) -> BucketMove | None:
    if move := moving.under_way(team.pk):
        moving.wake(move)
        return move
    count = moving.misplaced(team.pk, target_id).count()
    return BucketMove.objects.create(team=team, target_id=target_id, files_left=count) if count else None


def replace_credentials(*, actor: Actor, team: Team, credentials: Mapping[str, str]) -> Bucket:
    """Open the team's bucket by other credentials, or the one that its files are being moved out of.

    Raises:
        Conflict: the team has no bucket.
        Invalid: the credentials cannot be right.
        StorageUnavailable: the bucket cannot be used by them; says which permission is missing.
        TooManyRequests: as for `connect`.
    """
    require(actor, TeamAction.MANAGE_STORAGE, team)
    bucket = current_bucket(team)
    bucket.sealed_credentials = _sealed(credentials)
    _check(actor, bucket)
    bucket.checked_at, bucket.check_error = timezone.now(), ""
    with transaction.atomic():
        bucket.save(update_fields=["sealed_credentials", "checked_at", "check_error"])
        _record(actor, "team.replace_bucket_credentials", team, {"bucket": str(bucket)})
        moving_now = BucketMove.objects.filter(team=team, finished_at=None).exclude(error="")
        moving_now.update(wakes_at=timezone.now())
        transaction.on_commit(services.forget)
    return bucket


def check_again(*, actor: Actor, team: Team) -> Bucket:
    """Try what the team's bucket must do, and keep with it what is wrong.

    Raises:
        Conflict: the team has no bucket.
        TooManyRequests: as for `connect`.
    """
    require(actor, TeamAction.MANAGE_STORAGE, team)
    bucket = current_bucket(team)
    _count_check(actor)
    services.keep_check(bucket, check_in_time)
    return bucket


def retry(*, actor: Actor, team: Team) -> BucketMove:
    """Let a move that has stopped go on now, instead of when its time comes.

    Raises:
        Conflict: none is under way.
    """
    require(actor, TeamAction.MANAGE_STORAGE, team)
    move = moving.under_way(team.pk)
    if move is None:
        raise Conflict(_("No files of this team are being moved."))
    moving.wake(move)
    move.refresh_from_db()
    return move


def current_bucket(team: Team) -> Bucket:
    """Return the team's bucket, or the one that its files are being moved out of.

    Raises:
        Conflict: it has none.
    """
    bucket = Bucket.objects.filter(team=team).first()
    if bucket is None:
        move = moving.under_way(team.pk)
        bucket = move.source if move is not None and move.source and move.source.sealed_credentials else None
    if bucket is None:
        raise Conflict(_("This team has no bucket of its own."))
    return bucket


def _sealed(credentials: Mapping[str, str]) -> str:
    given = {name: value.strip() for name, value in credentials.items() if value.strip()}
    if not given:
        raise Invalid(_("Enter the credentials for this bucket."))
    return seal(services.SEAL, json.dumps(given))


def _check(actor: Actor, bucket: Bucket) -> None:
    if not urlsplit(bucket.url).scheme:
        raise Invalid(_("The address of a bucket begins with s3://, gs:// or az://."))
    _count_check(actor)
    check_in_time(bucket)


def _count_check(actor: Actor) -> None:
    if actor == SYSTEM:
        return
    if wait := count(CHECKED, str(actor.lookup_id), limit=CHECKS, window_s=CHECKS_WINDOW_S):
        message = _("You can check buckets %(count)s times per minute.") % {"count": CHECKS}
        raise TooManyRequests(message, wait_s=wait)


def _require_rest(team: Team) -> None:
    if moving.under_way(team.pk) is not None:
        raise Conflict(_("Files of this team are being moved. Wait for the move to finish."))


def _lock(team: Team) -> Bucket | None:
    """Keep others from changing the team's bucket, and return it.

    Raises:
        Conflict: files of the team are being moved.
    """
    Team.objects.select_for_update(no_key=True).get(pk=team.pk)
    _require_rest(team)
    return Bucket.objects.filter(team=team).first()


def _begin(actor: Actor, action: str, team: Team, source: Bucket | None, target: Bucket | None) -> BucketMove:
    _record(actor, action, team, {"bucket": str(source if target is None or target.team is None else target)})
    move = BucketMove.objects.create(
        team=team, source=source, target=target,
        files_left=moving.misplaced(team.pk, target.pk if target else None).count(),
    )  # fmt: skip
    transaction.on_commit(services.forget)
    return move


def _record(actor: Actor, action: str, team: Team, after: dict[str, str]) -> None:
    record(actor, action, team, organization_id=team.organization_id, team_id=team.pk, after=after)
