"""``manage.py move_segments --to files|database|bucket|clickhouse``."""

import time
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from common.errors import DomainError
from metrics.store import moving
from metrics.store.moving import MoveProgress
from metrics.store.segment_storage import STORAGES

_TOLD_EVERY_S = 10.0


class Command(BaseCommand):
    help = "Move packed metrics that lie elsewhere to one place. Cut off, it goes on when it is run again."

    def add_arguments(self, parser: ArgumentParser) -> None:
        """Say where to."""
        parser.add_argument("--to", choices=sorted(STORAGES), required=True, help="As in RUNYARD_SEGMENTS.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Move, and show how far it is.

        Raises:
            CommandError: a bucket or ClickHouse does not answer, or some segments cannot be read.
        """
        if options["to"] != settings.SEGMENT_STORE:
            self.stderr.write(
                f"New segments still go elsewhere: RUNYARD_SEGMENTS is {settings.SEGMENT_STORE}."
            )
        try:
            target = STORAGES[options["to"]]()
            count, size = moving.count_misplaced(target)
            self.stdout.write(f"{count} segments ({size} bytes) lie elsewhere.")
            progress = self._shown(moving.move_all(target), count)
        except DomainError as error:
            raise CommandError(f"{error.message} Run it again to go on.") from None
        self.stdout.write(f"{progress.moved} segments ({progress.moved_bytes} bytes) were moved.")
        if progress.damaged:
            raise CommandError(f"{progress.damaged} segments cannot be read, and stay; the log says why.")

    def _shown(self, moves: Iterator[MoveProgress], count: int) -> MoveProgress:
        """Go through all moves, and say now and then how far they are; returns how far they came."""
        progress, shown_at = MoveProgress(), time.monotonic()
        for progress in moves:
            if time.monotonic() - shown_at > _TOLD_EVERY_S:
                shown_at = time.monotonic()
                done = progress.moved + progress.overtaken + progress.damaged
                self.stdout.write(f"{done} of {count}, {progress.moved_bytes} bytes")
        return progress
