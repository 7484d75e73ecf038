"""What admin classes share: most rows are written by services, and some by nobody else ever."""

from typing import Any

from django.http import HttpRequest


class NoAddMixin:
    """Rows that a form cannot make: a name must be claimed, a grant counted, an entry audited."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Use the pages, the SDK or the commands."""
        return False


class ReadOnlyMixin(NoAddMixin):
    """Rows that only services write: the audit log, the ledger, names, blobs, streams."""

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody."""
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """Nobody."""
        return False
