"""What is answered while the database is locked, full or away, and after it comes back."""

from collections.abc import Callable
from typing import Any

import psycopg
import pytest
from django.db import OperationalError
from django.http import HttpResponse
from graphql import GraphQLError

from access.actions import Preset
from common.errors import Unavailable
from config.urls import handler500
from teams.models import Role
from teams.roles.builtin import built_in
from tests.databases import GIVEN
from tests.installation import Installation
from wandb_api.graphql.errors import answer_to


def fail() -> None:
    raise OperationalError("database is locked")


@pytest.mark.parametrize("path", ["/", "/api/v1/runs/"])
def test_a_locked_database_is_503(rf, path: str) -> None:
    """The review's L6 and M4: clients ask again, and no page of errors asks the database once more."""
    reply = HttpResponse()
    try:
        fail()
    except OperationalError:
        reply = handler500(rf.get(path))  # type: ignore[assignment]  # a page of its own, never a stream
    assert (reply.status_code, "Retry-After" in reply) == (503, False)
    assert b"The database did not answer" in reply.content
    assert b"locked" not in reply.content


def test_a_locked_database_is_503_in_graphql() -> None:
    """The review's L6: `upsertBucket` said 500."""
    error = GraphQLError("database is locked", original_error=OperationalError("database is locked"))
    status, [told] = answer_to([error], is_query=False)
    assert (status, told["extensions"]["code"]) == (503, "unavailable")
    assert "did not answer" in told["message"]


@pytest.mark.parametrize(("is_pooled", "limit"), [(False, "7 s"), (True, "its statement_timeout")])
def test_a_statement_that_was_ended_says_by_which_limit(settings: Any, is_pooled: bool, limit: str) -> None:
    """Behind a pooler it is the role's own, which we do not know."""
    settings.DATABASE_TIMEOUT_S, settings.DATABASE_POOLER = 7, is_pooled
    ended = OperationalError("canceling statement due to statement timeout")
    ended.__cause__ = psycopg.errors.QueryCanceled()
    status, [told] = answer_to([GraphQLError(str(ended), original_error=ended)], is_query=True)
    assert (status, told["extensions"]["code"]) == (503, "unavailable")
    assert f"more than {limit}" in told["message"]


@pytest.mark.django_db
def test_before_the_end_of_the_first_migration_commands_say_so() -> None:
    """The review's L7: `create_user` ended with a traceback."""
    Role.objects.all().delete()
    with pytest.raises(Unavailable, match="The database is not ready"):
        built_in(Preset.MEMBER)


@pytest.mark.dialect
@pytest.mark.skipif(not GIVEN.startswith("postgres"), reason="SQLite has no server that ends connections")
def test_no_request_fails_on_a_connection_of_before(new_server: Callable[..., Installation]) -> None:
    """The review's M4: after a restart of PostgreSQL the pool's connections are looked at before they are used."""
    server = new_server()
    for _ in range(4):
        assert server.get("/accounts/login/")[0] == 200
    with psycopg.connect(server.env["RUNYARD_DATABASE_URL"], autocommit=True) as link:
        ended = link.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        ).fetchall()
    assert ended
    assert [server.get("/accounts/login/")[0] for _ in range(8)] == [200] * 8
