"""``manage.py move_storage TEAM``: give a team a bucket of its own, or move its files back."""

import json
import sys
import time
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.core.management.base import BaseCommand, CommandError

from access.actor import SYSTEM
from common.errors import DomainError
from storage.models import BucketMove
from storage.team_buckets import connector, moving
from teams.models import Team


class Command(BaseCommand):
    help = "Move all files of a team to a bucket of its own, or back; what is cut off goes on by --resume."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Say which team, and where to."""
        parser.add_argument("team", help="Name of the team.")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--to", help="Address of the bucket, or “default” for where other teams’ files go.")
        what.add_argument("--resume", action="store_true", help="Go on now with a move that has stopped.")
        parser.add_argument("--credentials", help="File with the bucket’s credentials as JSON; - for stdin.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Begin or go on, and wait for the end.

        Raises:
            CommandError: it does not go on; says why.
        """
        team = Team.objects.filter(name=options["team"], deleted_at=None).first()
        if team is None:
            raise CommandError(f"There is no team “{options['team']}”.")
        try:
            move = self._resumed(team) if options["resume"] else _begun(team, options)
        except DomainError as error:
            raise CommandError(error.message) from None
        self._follow(move)

    def _resumed(self, team: Team) -> BucketMove:
        move = moving.under_way(team.pk)
        if move is None:
            raise CommandError("No move of this team is under way.")
        moving.wake(move)
        return move

    def _follow(self, move: BucketMove) -> None:
        """Do it, or watch the worker that does."""
        while move.finished_at is None:
            moving.go_on(move.pk)
            move.refresh_from_db()
            if move.error:
                for blob, why in move.unreadable.items():
                    self.stderr.write(f"Content {blob}: {why}")
                raise CommandError(
                    f"{move.files_done} files were moved, {move.files_left} were not: {move.error}"
                )
            if move.finished_at is None:
                time.sleep(1)
        self.stdout.write(f"{move.files_done} files ({move.bytes_done} bytes) were moved: {move}.")


def _begun(team: Team, options: dict[str, Any]) -> BucketMove:
    if options["to"] == "default":
        return connector.disconnect(actor=SYSTEM, team=team)
    if not options["credentials"]:
        raise CommandError("Give the bucket’s credentials by --credentials.")
    return connector.connect(
        actor=SYSTEM, team=team, url=options["to"], credentials=_read(options["credentials"])
    )


def _read(name: str) -> dict[str, str]:
    try:
        found = json.loads(sys.stdin.read() if name == "-" else Path(name).read_text())
    except (OSError, ValueError) as error:
        raise CommandError(f"The credentials cannot be read: {error}") from None
    if not isinstance(found, dict) or not all(isinstance(value, str) for value in found.values()):
        raise CommandError("The credentials must be a JSON object of texts.")
    return found
