"""Wish 20: a run that a limit slowed down says so on its timeline, and refusals are never written one by one."""

import asyncio
import json
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from access.actor import SYSTEM
from common.rate_limits import Pace
from ingest.authorization.permission_cache import permissions
from ingest.endpoint import handler, refused_posts
from runs.bulk_actions import deletion
from runs.ingest.refused_posts import QUIET, RefusedPostCount, record_refused_posts, refused_post_marks
from runs.models import RefusedPosts, Run
from tests.factories import RunFactory, UserFactory, basic, make_key
from wandb_api.file_stream.endpoint import file_stream

T = datetime(2026, 3, 1, 12, tzinfo=UTC)
RATE, BYTES = "RUNYARD_RUN_POST_RATE", "RUNYARD_FILE_STREAM_MAX_MIB"


def _refused(run: Run, count: int, first_m: float, last_m: float, setting: str = RATE) -> RefusedPostCount:
    return RefusedPostCount(
        run.pk, setting, count, T + timedelta(minutes=first_m), T + timedelta(minutes=last_m)
    )


def _kept(run: Run) -> list[tuple[str, int, float]]:
    rows = RefusedPosts.objects.filter(run=run)
    return [(row.setting, row.count, (row.last_at - row.first_at).total_seconds()) for row in rows]


@pytest.mark.django_db
class TestKeeping:
    def test_refusals_without_a_pause_are_one_row(self):
        run, quiet_m = RunFactory(), QUIET.total_seconds() / 60
        record_refused_posts([_refused(run, 3, 0, 1)])
        record_refused_posts([_refused(run, 4, 1 + quiet_m, 2 + quiet_m)])
        assert _kept(run) == [(RATE, 7, 120 + QUIET.total_seconds())]

    def test_after_a_pause_and_for_another_limit_there_is_a_row_of_its_own(self):
        run, quiet_m = RunFactory(), QUIET.total_seconds() / 60
        record_refused_posts([_refused(run, 3, 0, 0), _refused(run, 1, 0, 0, BYTES)])
        record_refused_posts([_refused(run, 4, 1 + quiet_m, 1 + quiet_m)])
        assert _kept(run) == [(RATE, 3, 0), (BYTES, 1, 0), (RATE, 4, 0)]

    def test_runs_that_are_deleted_or_gone_keep_none(self):
        deleted, kept = RunFactory(), RunFactory()
        deletion.delete_run(actor=SYSTEM, run=deleted)
        record_refused_posts(
            [_refused(deleted, 1, 0, 0), RefusedPostCount(0, RATE, 1, T, T), _refused(kept, 1, 0, 0)]
        )
        assert [row.run_id for row in RefusedPosts.objects.all()] == [kept.pk]

    def test_it_takes_as_many_statements_for_many_runs(self, django_assert_max_num_queries):
        runs = [RunFactory() for _ in range(4)]
        record_refused_posts([_refused(run, 1, 0, 0) for run in runs[:2]])
        with django_assert_max_num_queries(7):
            record_refused_posts([_refused(run, 1, 1, 1) for run in runs])

    def test_the_page_of_the_run_tells_in_words(self):
        user = UserFactory()
        run = RunFactory(user=user)
        record_refused_posts([_refused(run, 3, 0, 1), _refused(run, 1, 2, 2, BYTES)])
        assert sorted(mark.label for mark in refused_post_marks(run)) == [
            f"1 request refused as too large (limit {BYTES})",
            f"3 requests refused, will be retried (limit {RATE})",
        ]
        client = Client()
        client.force_login(run.project.team.memberships.get().user)
        names = [run.project.team.name, run.project.name, run.uid]
        RefusedPosts.objects.update(first_at=run.started_at, last_at=run.started_at)
        page = client.get(reverse("runs:run_overview", args=names)).content.decode()
        assert f"<strong>3 requests refused, will be retried (limit {RATE})</strong>" in page


@pytest.fixture
def _fresh_pace(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(handler, "_pace", Pace(saved_s=2.0))
    permissions.forget()
    yield
    permissions.forget()


async def _post(path: str, secret: str, body: bytes) -> int:
    """Send one post to the SDK's endpoint as a server does; return the status."""
    statuses: list[int] = []

    async def receive() -> dict[str, Any]:
        return {"type": "http.request", "body": body}

    async def send(message: dict[str, Any]) -> None:
        statuses.append(message.get("status", 0))

    scope = {
        "type": "http", "method": "POST", "path": path, "client": ("127.0.0.1", 1),
        "headers": [(b"authorization", basic(secret).encode())],
    }  # fmt: skip
    await file_stream(scope, receive, send)
    return statuses[0]


@pytest.mark.django_db(transaction=True)
@pytest.mark.usefixtures("_fresh_pace")
def test_refused_posts_are_gathered_and_kept_once(settings):
    """Both limits, through the SDK's own endpoint; nothing is written while posts are refused."""
    settings.RUN_POST_RATE, settings.FILE_STREAM_MAX_BYTES = 1, 1000
    run = RunFactory()
    user = run.project.team.memberships.get().user
    path = f"/files/{run.project.team.name}/{run.project.name}/{run.uid}/file_stream"
    secret, large = make_key(user), json.dumps({"files": {}, "more": "x" * 2000}).encode()

    async def flood() -> tuple[list[int], int]:
        statuses = [await _post(path, secret, large) for _ in range(6)]
        written = await RefusedPosts.objects.acount()
        await refused_posts.buffer.save()
        return statuses, written

    statuses, written = asyncio.run(flood())
    assert (statuses, written) == ([413, 413, 429, 429, 429, 429], 0)
    assert [(row.setting, row.count) for row in RefusedPosts.objects.order_by("setting")] == [
        (BYTES, 2),
        (RATE, 4),
    ]


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many runs are refused at once, no more than so many are noted."""
    monkeypatch.setattr(refused_posts, "MAX_WAITING", 2)

    async def note() -> int:
        gathered = refused_posts.RefusedPostBuffer()
        for run_id in (1, 2, 3, 2):
            gathered.record(run_id, RATE)
        return len(gathered._waiting)

    assert asyncio.run(note()) == 2
