"""``runyard doctor``: what is wrong with this installation, and how to mend it."""

import json
import sys
from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from django.core.management.base import BaseCommand

from config.doctor import parts
from config.doctor.address import address
from config.doctor.findings import Finding, State

LOOKS = (
    parts.settings_of_environment, parts.disk, parts.database, parts.replica, parts.redis_server, parts.clock,
    parts.worker, parts.mail, parts.bucket, parts.clickhouse, parts.traces, address,
)  # fmt: skip
SIGNS = {State.FINE: "ok", State.WARNING: "warn", State.BROKEN: "FAIL"}


class Command(BaseCommand):
    help = (
        "Look at settings, disk, database, replica, Redis, clocks, worker, mail, storage, ClickHouse, traces and"
        " address; say what is wrong and how to mend it. Exits with 1 where something does not work."
    )
    requires_system_checks: tuple[str, ...] = ()
    """It runs them itself, and goes on."""

    def add_arguments(self, parser: Any) -> None:
        """Declare the arguments."""
        parser.add_argument("--json", action="store_true", help="Print one JSON object.")

    def handle(self, *args: Any, **options: Any) -> None:
        """Look, and print what was found."""
        found = []
        for finding in self.findings():
            found.append(finding)
            if not options["json"]:
                self.tell(finding)
        is_well = all(finding.state != State.BROKEN for finding in found)
        if options["json"]:
            self.stdout.write(json.dumps({"ok": is_well, "findings": [asdict(finding) for finding in found]}))
        if not is_well:
            sys.exit(1)

    def findings(self) -> Iterator[Finding]:
        """Look at each part in turn."""
        for look in LOOKS:
            yield from look()

    def tell(self, finding: Finding) -> None:
        """Print one finding, and below it what to do."""
        self.stdout.write(f"{SIGNS[finding.state]:<5} {finding.part:<9} {finding.text}")
        if finding.advice:
            self.stdout.write(f"{'':<15} {finding.advice}")
