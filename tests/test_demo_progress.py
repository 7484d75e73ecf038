"""``make demo`` goes on where it failed."""

from pathlib import Path

import pytest

from accounts.models import User
from demo.people import PEOPLE_STEP, require_free_names
from demo.progress import Progress
from tests.factories import UserFactory

pytestmark = pytest.mark.django_db


def test_a_step_is_done_once_wholly_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "demo.json"

    def fail() -> None:
        UserFactory(username="half")
        raise RuntimeError("stopped")

    with pytest.raises(RuntimeError):
        Progress(path).do("people", fail)
    assert not User.objects.filter(username="half").exists()
    Progress(path).do("people", lambda: UserFactory(username="whole"))
    Progress(path).do("people", fail)  # done already
    assert User.objects.filter(username="whole").exists()


def test_names_of_others_are_refused_and_those_of_its_own_are_not(tmp_path: Path) -> None:
    progress = Progress(tmp_path / "demo.json")
    progress.add(PEOPLE_STEP)
    require_free_names({"vision"}, progress)
    assert not progress.has(PEOPLE_STEP), "what the file told of is not there"
    UserFactory(username="vision")
    with pytest.raises(SystemExit, match="vision"):
        require_free_names({"vision"}, progress)
    progress.add(PEOPLE_STEP)
    require_free_names({"vision"}, progress)
