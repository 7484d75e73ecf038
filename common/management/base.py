"""Commands for operators and scripts: JSON on standard output, safe to run twice."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import OperationalError, ProgrammingError

from common.errors import NOT_READY, UNANSWERED, DomainError


class JsonCommand(BaseCommand):
    """A command whose ``run`` returns what it did; a refusal ends it with status 1 and one clear line."""

    def run(self, *args: Any, **options: Any) -> dict[str, Any]:
        """Do the work once; with nothing to do, return ``created: False`` and say so."""
        raise NotImplementedError

    def handle(self, *args: Any, **options: Any) -> None:
        """Print the result as one JSON object."""
        try:
            result = self.run(**options)
        except DomainError as error:
            raise CommandError(error.message) from error
        except (OperationalError, ProgrammingError) as error:
            # SQLite says that a table is missing by the class that others use for a server that is away
            is_missing = isinstance(error, ProgrammingError) or "no such table" in str(error)
            raise CommandError(f"{NOT_READY if is_missing else UNANSWERED} ({error})") from error
        self.stdout.write(json.dumps(result))
