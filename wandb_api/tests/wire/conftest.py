"""People who speak the SDK's protocol; and no test may leave a traceback in the log."""

from collections.abc import Iterator

import pytest

from tests.factories import UserFactory
from tests.in_process import InProcess, db, wire_of
from tests.sdk.wire import Wire

__all__ = ["db"]


@pytest.fixture(scope="module")
def transport(db: None) -> Iterator[InProcess]:
    """Give the application, for all people of a module."""
    made = InProcess()
    yield made
    made.close()


@pytest.fixture(scope="module")
def ada(transport: InProcess) -> Wire:
    """Give somebody who logs."""
    return wire_of(UserFactory(username="ada"), transport)


@pytest.fixture(scope="module")
def bob(transport: InProcess) -> Wire:
    """Give somebody who has nothing to do with Ada."""
    return wire_of(UserFactory(username="bob"), transport)


@pytest.fixture(autouse=True)
def _no_traceback_is_logged(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Clients' mistakes are no errors of the server's."""
    yield
    assert [record.getMessage() for record in caplog.get_records("call") if record.exc_info] == []
