"""The part of `runs` itself in the life of a run: its files, its console log, and what was refused of it."""

from collections.abc import Collection, Iterator

from runs.files.announced_files import missing_file_marks
from runs.files.refused_files import refused_file_marks
from runs.ingest.bad_lines import bad_line_marks
from runs.ingest.refused_posts import refused_post_marks
from runs.lifecycle import purge, storage_ledger
from runs.lifecycle.participants import RunParticipant, TimelineMark
from runs.models import Run


class RunsRunParticipant(RunParticipant):
    """What belongs to it in this app."""

    def delete_batch(self, run: Run, limit: int) -> int:
        """Delete files first, then all other rows."""
        deleted = purge.delete_files(run, limit)
        return deleted + (purge.delete_related_rows(run, limit - deleted) if deleted < limit else 0)

    def stored_bytes(self, category: str, run_ids: Collection[int]) -> dict[int, int]:
        """Return the bytes of files or of console log."""
        counted = {
            storage_ledger.FILE: storage_ledger.file_bytes,
            storage_ledger.LOG: storage_ledger.log_bytes,
        }
        return counted[category](run_ids) if category in counted else {}

    def timeline_marks(self, run: Run) -> Iterator[TimelineMark]:
        """Mark what was skipped or refused, or never arrived."""
        for find in (bad_line_marks, refused_file_marks, missing_file_marks, refused_post_marks):
            yield from find(run)
