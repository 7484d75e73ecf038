"""What other tests build on."""

import pytest

from artifacts.models import Entry, Pin
from artifacts.tests.factories import make_version, place_of
from tests.factories import ProjectFactory, RunFactory

pytestmark = pytest.mark.django_db


def test_a_version_is_committed_with_all_that_was_given() -> None:
    run = RunFactory()
    version = make_version(
        run.project, "data", {"a/b.txt": b"b", "c.txt": b"cc"}, references={"far.bin": "s3://bucket/far.bin"},
        run=run, type_name="dataset", metadata={"rows": 2}, aliases=["best"], tags=["gold"],
    )  # fmt: skip
    assert (version.state, version.size_bytes, version.file_count, version.reference_count) == (
        "committed", 3, 2, 1,
    )  # fmt: skip
    assert list(Entry.objects.values_list("path", flat=True)) == ["a/b.txt", "c.txt", "far.bin"]
    assert [alias.name for alias in place_of(version).aliases.all()] == ["best", "latest"]
    assert not Pin.objects.exists()


def test_the_same_files_make_no_second_version() -> None:
    project = ProjectFactory()
    assert make_version(project) == make_version(project)
    assert place_of(make_version(project, files={"a.txt": b"other"})).label == "v1"
