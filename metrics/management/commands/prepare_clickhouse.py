"""``manage.py prepare_clickhouse``: the tables in ClickHouse."""

from typing import Any

from django.core.management.base import BaseCommand, CommandError

from common.errors import DomainError
from metrics.store.clickhouse import tables
from metrics.store.clickhouse.servers import cluster_servers


class Command(BaseCommand):
    help = (
        "Create the tables of packed metrics on all servers of RUNYARD_CLICKHOUSE_URL, where there are none."
    )

    def add_arguments(self, parser: Any) -> None:
        """Declare the arguments."""
        parser.add_argument(
            "--replicated",
            action="store_true",
            help="With replicated tables: the servers have Keeper and the macros {shard} and {replica}.",
        )
        parser.add_argument("--sql", action="store_true", help="Only print the statements, for every server.")

    def handle(self, *args: Any, replicated: bool = False, sql: bool = False, **options: Any) -> None:
        """Create them, and see that every server reaches all shards.

        Raises:
            CommandError: a server does not answer, refuses or is too old; the message says what.
        """
        try:
            servers = cluster_servers()
            if sql:
                for statement in tables.tables_of(servers).statements(is_replicated=replicated):
                    self.stdout.write(f"{statement};")
                return
            tables.create(servers, is_replicated=replicated)
            self.stdout.write(f"ClickHouse {tables.check(servers)} has the tables of packed metrics.")
        except DomainError as error:
            raise CommandError(error.message) from error
