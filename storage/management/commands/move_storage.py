"""``manage.py move_storage``: give a team a bucket of its own, or move its files back; or bring along all others'."""

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
    help = "Move the files of a team to a bucket of its own, or back; or of all others to where new files go."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Say which team, and where to."""
        parser.add_argument("team", nargs="?", help="Name of the team.")
        what = parser.add_mutually_exclusive_group(required=True)
        what.add_argument("--to", help="Address of the bucket, or “default” for where other teams’ files go.")
        what.add_argument("--resume", action="store_true", help="Go on now with a move that has stopped.")
        what.add_argument(
            "--all",
            action="store_true",
            help="Instead of a team: bring what teams without a bucket have to where RUNYARD_STORAGE_URL says.",
        )
        parser.add_argument("--credentials", help="File with the bucket’s credentials as JSON; - for stdin.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Begin or go on, and wait for the end.

        Raises:
            CommandError: it does not go on; says why.
        """
        if options["all"] == bool(options["team"]):
            raise CommandError("Name a team, or give --all.")
        try:
            moves = connector.begin_default_moves() if options["all"] else [self._of_team(options)]
        except DomainError as error:
            raise CommandError(error.message) from None
        self._follow(moves)

    def _of_team(self, options: dict[str, Any]) -> BucketMove:
        team = Team.objects.filter(name=options["team"], deleted_at=None).first()
        if team is None:
            raise CommandError(f"There is no team “{options['team']}”.")
        return self._resumed(team) if options["resume"] else _begun(team, options)

    def _resumed(self, team: Team) -> BucketMove:
        move = moving.under_way(team.pk)
        if move is None:
            raise CommandError("No move of this team is under way.")
        moving.wake(move)
        return move

    def _follow(self, moves: list[BucketMove]) -> None:
        """Do them, or watch the worker that does; one that stops holds up no other."""
        left = moves
        while left := [move for move in left if not self._is_over(move)]:
            time.sleep(1)
        if stopped := [move for move in moves if move.error]:
            raise CommandError("\n".join(map(self._failure_of, stopped)))
        files, size = sum(move.files_done for move in moves), sum(move.bytes_done for move in moves)
        places = ", ".join(sorted({str(move.target or "the data folder") for move in moves}))
        self.stdout.write(f"{files} files ({size} bytes) were moved{f' to {places}' if places else ''}.")

    def _is_over(self, move: BucketMove) -> bool:
        """Go on with a move; say whether it has ended or stopped."""
        moving.go_on(move.pk)
        move.refresh_from_db()
        return move.finished_at is not None or bool(move.error)

    def _failure_of(self, move: BucketMove) -> str:
        """Name what cannot be read, and return why the move does not go on."""
        for blob, why in move.unreadable.items():
            self.stderr.write(f"Content {blob}: {why}")
        return f"{move.team}: {move.files_done} files were moved, {move.files_left} were not: {move.error}"


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
