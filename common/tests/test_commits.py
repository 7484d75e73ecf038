"""What happens after a commit cannot fail what was committed."""

import logging
from functools import partial

import pytest
from django.db import transaction
from redis.exceptions import ConnectionError as RedisConnectionError

from accounts.models import User
from common.database.commits import after_commit
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db(transaction=True)


def _fail(error: Exception) -> None:
    raise error


@pytest.mark.parametrize("act", [_fail, partial(_fail)], ids=["function", "partial"])
@pytest.mark.parametrize(
    "error", [ValueError("broken"), RedisConnectionError("away")], ids=["fault", "no Redis"]
)
def test_a_failure_is_logged_and_what_was_committed_stands(act, error, caplog) -> None:
    with caplog.at_level(logging.WARNING, logger="common.database.commits"), transaction.atomic():
        UserFactory(username="kept")
        after_commit(act, error)
    assert User.objects.filter(username="kept").exists()
    assert str(error) in caplog.text


def test_the_others_are_called_and_outside_a_transaction_at_once() -> None:
    called: list[str] = []
    with transaction.atomic():
        after_commit(_fail, ValueError("broken"))
        after_commit(called.append, "second")
        assert called == []
    after_commit(called.append, "at once")
    assert called == ["second", "at once"]


def test_nothing_is_called_where_the_transaction_is_undone() -> None:
    called: list[str] = []
    with transaction.atomic():
        after_commit(called.append, "never")
        transaction.set_rollback(True)
    assert called == []
