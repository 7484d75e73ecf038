"""What the second pass of CI leaves out depends on no database: `tests.plugin` marks it by what tests are given."""

import pytest

from tests.plugin import check_that_it_is_marked


def test_a_test_that_is_given_nothing_is_left_out_and_gets_no_server() -> None:
    with pytest.raises(AssertionError, match="mark it `processes`"):
        check_that_it_is_marked()


@pytest.mark.django_db
def test_a_test_with_a_mark_may_start_one() -> None:
    check_that_it_is_marked()


def test_a_test_with_a_database_by_a_fixture_may_start_one(db: None) -> None:
    check_that_it_is_marked()


@pytest.mark.processes
def test_a_test_that_starts_processes_may_start_one() -> None:
    check_that_it_is_marked()
