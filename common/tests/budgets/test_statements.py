"""Statements of SQLite end with the request that reads."""

import pytest
from django.db import OperationalError, connection

from common.budgets.budget import Budget, budget_of
from common.budgets.statements import refusal_of

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif(connection.vendor != "sqlite", reason="PostgreSQL ends statements itself"),
]
COUNT = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %s) SELECT max(i) FROM n"


def count(most: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(COUNT, [most])
        return int(cursor.fetchone()[0])


def test_a_statement_of_a_client_that_has_left_ends() -> None:
    with budget_of(Budget(lambda: True)), pytest.raises(OperationalError, match="interrupted"):
        count(10**9)


def test_a_statement_ends_with_the_processor_time_and_the_refusal_says_so(
    settings: pytest.FixtureRequest,
) -> None:
    settings.REQUEST_MAX_S = 0  # type: ignore[attr-defined]
    with budget_of(Budget()):
        with pytest.raises(OperationalError) as ended:
            count(10**9)
        refusal = refusal_of(ended.value)
    assert refusal is not None
    assert "RUNYARD_REQUEST_MAX_S" in refusal.message


def test_what_writes_is_never_ended() -> None:
    budget = Budget(lambda: True)
    budget.only_reads = False
    with budget_of(budget):
        assert count(10**6) == 10**6


def test_tasks_are_never_ended() -> None:
    assert count(10**6) == 10**6
