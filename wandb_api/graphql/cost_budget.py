"""What one GraphQL request may cost: fields, bytes and processor time; and that it ends when its client is gone.

A document of 209 bytes can ask for 13 million nodes (lists of runs in projects of runs), so limits on the document
alone do not help (`wandb_api.graphql.document_limits`). What a request cost is also spent from its user's requests a
minute.
"""

from typing import NoReturn

from django.conf import settings
from django.utils.translation import gettext as _

from common.budgets import budget
from common.budgets.budget import too_expensive
from common.errors import Invalid

_EVERY = 256
"""Fields between two looks at the clock."""
REQUESTS_A_SECOND = 1000
"""So many requests a second of processor time counts for: a user's allowance lasts for half a processor."""


class ExecutionStopped(BaseException):
    """Ends an execution; not an `Exception`, of which graphql-core makes the error of one field and goes on."""

    def __init__(self, error: Invalid | None) -> None:
        """Take the error for the client; None when it is gone."""
        super().__init__()
        self.error = error


class Budget(budget.Budget):
    """What is left of a GraphQL request."""

    setting = "RUNYARD_GRAPHQL_MAX_S"
    _fields = _read = _answered = 0

    @property
    def most_s(self) -> int:
        """Processor time that it may take."""
        return int(settings.GRAPHQL_MAX_S)

    def count_field(self) -> None:
        """Count one more resolved field."""
        self._fields += 1
        if self._fields % _EVERY == 0:
            self.look()

    def count_read(self, size: int) -> None:
        """Count bytes that are read, before they are in memory."""
        self._read = self._added(self._read, size)

    def count_answered(self, size: int) -> None:
        """Count characters of the answer."""
        self._answered = self._added(self._answered, size)

    def look(self) -> None:
        """End the execution when it is over its budget, or its client has left."""
        if self._fields > settings.GRAPHQL_MAX_FIELDS:
            self.stop(too_expensive(settings.GRAPHQL_MAX_FIELDS, _("fields"), "RUNYARD_GRAPHQL_MAX_FIELDS"))
        super().look()

    def stop(self, error: Invalid | None) -> NoReturn:
        """End the execution."""
        raise ExecutionStopped(error)

    def _added(self, total: int, size: int) -> int:
        if total + size > settings.GRAPHQL_MAX_ANSWER_BYTES:
            limit = settings.GRAPHQL_MAX_ANSWER_BYTES
            self.stop(too_expensive(limit, _("bytes of values"), "RUNYARD_GRAPHQL_MAX_ANSWER_MIB"))
        return total + size
