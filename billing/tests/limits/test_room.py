"""BIL-3: more files are refused where limits are enforced, nothing more is sold, and the grace is over."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import time_machine
from django.test import Client

from accounts.models import User
from billing.limits.storage_quota import record_storage, require_storage
from billing.limits.warnings import refresh_all
from billing.models import Subscription
from billing.tasks import note_limits
from common.errors import TooLarge
from runs.files.services import is_of_run, require_quota_for, upload_paths
from runs.models import Run
from storage import quota
from storage.models import Holding
from teams.models import Organization
from tests.factories import (
    OrganizationFactory,
    ProjectFactory,
    RunFactory,
    TeamFactory,
    UserFactory,
    actor,
    basic,
    make_key,
)
from tests.plans import put_on
from usage.metering.ingestion import record_ingestion
from usage.metering.meter import run_meter

pytestmark = pytest.mark.django_db
NOW = datetime(2026, 3, 20, 12, tzinfo=UTC)
GB = 10**9


@pytest.fixture(autouse=True)
def enforced(settings) -> Iterator[None]:
    settings.ENFORCE_LIMITS = True
    quota.forget()
    with time_machine.travel(NOW, tick=False):
        yield
    quota.forget()


@pytest.fixture
def ada() -> User:
    return UserFactory(username="ada")


@pytest.fixture
def organization(ada: User) -> Organization:
    return OrganizationFactory(name="acme", admin=ada)


@pytest.fixture
def run(organization: Organization, ada: User) -> Run:
    return RunFactory(
        project=ProjectFactory(team=TeamFactory(organization=organization, admin=ada)), user=ada
    )


def hold(run: Run, gigabytes: float) -> None:
    """Say what a team stores."""
    size = int(gigabytes * GB)
    Holding.objects.update_or_create(
        team_id=run.project.team_id, defaults={"category": "file", "size_bytes": size}
    )


def limited(organization: Organization, **terms: Any) -> Subscription:
    small: dict[str, Any] = {"name": "Small", "included_storage_gb": 10, "grace_days": 7, **terms}
    return put_on(organization, **small)


def is_refused(run: Run) -> bool:
    try:
        require_storage(run.project.team_id)
    except TooLarge:
        return True
    return False


class TestGrace:
    """From the first look that finds too much, for the plan's days."""

    def test_uploads_are_taken_until_the_days_are_over(self, organization: Organization, run: Run):
        row = limited(organization)
        hold(run, 11)
        refresh_all()
        row.refresh_from_db()
        assert row.over_storage_since == NOW
        assert not is_refused(run)
        with time_machine.travel(NOW + timedelta(days=7, seconds=-1), tick=False):
            refresh_all()
            assert not is_refused(run)
        with time_machine.travel(NOW + timedelta(days=7), tick=False):
            refresh_all()  # does not begin the days anew
            assert is_refused(run)

    def test_less_stored_lifts_it_at_once(self, organization: Organization, run: Run):
        row = limited(organization, grace_days=0)
        hold(run, 11)
        refresh_all()
        assert is_refused(run)
        hold(run, 10)
        assert not is_refused(run)  # before the next look
        refresh_all()
        row.refresh_from_db()
        assert row.over_storage_since is None

    def test_a_larger_plan_or_bought_storage_lifts_it_at_once(
        self, organization: Organization, run: Run, django_capture_on_commit_callbacks
    ):
        row = limited(organization, grace_days=0)
        hold(run, 11)
        refresh_all()
        assert is_refused(run)
        row.refresh_from_db()
        with django_capture_on_commit_callbacks(execute=True):
            row.extra_storage_gb = 5
            row.save(update_fields=["extra_storage_gb"])
        assert not is_refused(run)
        row.refresh_from_db()
        assert row.over_storage_since is None  # found without waiting for the beat

    def test_a_limit_that_is_reached_is_not_exceeded(self, organization: Organization, run: Run):
        row = limited(organization, grace_days=0)
        hold(run, 10)
        assert not record_storage(row)
        assert not is_refused(run)

    @pytest.mark.parametrize("terms", [{"storage_price_usd": "0.03"}, {"included_storage_gb": None}])
    def test_plans_that_sell_more_or_have_no_limit_refuse_nothing(
        self, organization: Organization, run: Run, terms: dict[str, object]
    ):
        limited(organization, grace_days=0, **terms)
        hold(run, 5000)
        refresh_all()
        assert not is_refused(run)

    def test_without_enforcement_nothing_is_refused_and_nothing_asked(
        self, organization: Organization, run: Run, settings, django_assert_num_queries
    ):
        limited(organization, grace_days=0)
        hold(run, 11)
        refresh_all()
        settings.ENFORCE_LIMITS = False
        with django_assert_num_queries(0):
            assert not is_refused(run)

    def test_a_personal_entity_is_asked_about_itself(self, ada: User, run: Run):
        own = RunFactory(project=ProjectFactory(team=ada.claim.team), user=ada)
        put_on(ada, name="Small", included_storage_gb=1, grace_days=0)
        hold(own, 2)
        refresh_all()
        with pytest.raises(TooLarge, match="Delete what you no longer need"):
            require_storage(own.project.team_id)
        assert not is_refused(run)

    def test_the_words(self, organization: Organization, run: Run):
        limited(organization, grace_days=0)
        hold(run, 11.5)
        note_limits()
        with pytest.raises(TooLarge) as refused:
            require_storage(run.project.team_id)
        assert refused.value.message == (
            "acme stores 11.5 GB, but its plan Small includes 10 GB. File uploads are blocked until you free up "
            "storage. Metrics and logs still work. Usage admins of acme can change the plan: ada."
        )


class TestAsking:
    """What uploads cost and say."""

    @pytest.fixture
    def full(self, organization: Organization, run: Run) -> Run:
        limited(organization, grace_days=0)
        hold(run, 11)
        refresh_all()
        return run

    def test_a_hundred_files_ask_once(self, organization: Organization, run: Run, django_assert_num_queries):
        limited(organization)
        with django_assert_num_queries(1):
            for _ in range(100):
                quota.require_quota(run.project.team_id)

    def test_a_refusal_is_not_remembered(self, full: Run):
        with pytest.raises(TooLarge):
            quota.require_quota(full.project.team_id)
        hold(full, 1)
        quota.require_quota(full.project.team_id)

    def test_links_are_given_and_say_whom_to_ask_about(
        self, full: Run, ada: User, django_assert_max_num_queries
    ):
        """The PUT refuses, file by file, so that the SDK's own files of the same call are taken."""
        with django_assert_max_num_queries(5):
            paths = upload_paths(actor=actor(ada), run=full, names=["config.yaml", "media/a.png"])
        assert len(paths) == 2

    @pytest.mark.parametrize(
        ("name", "is_its"),
        [
            ("config.yaml", True), ("wandb-summary.json", True), ("output.log", True), ("wandb-metadata.json", True),
            ("requirements.txt", True), ("logs/output_1.log", True), ("model.pt", False), ("media/images/a.png", False),
            ("deep/config.yaml", False),
        ],
    )  # fmt: skip
    def test_a_runs_own_files_need_no_room(self, full: Run, name: str, is_its: bool):
        assert is_of_run(name) is is_its
        if is_its:
            require_quota_for(full, [name])
        else:
            with pytest.raises(TooLarge):
                require_quota_for(full, [name])

    def test_rest_is_refused_at_once(self, client: Client, full: Run, ada: User):
        path = f"/api/v1/runs/{full.project.team.name}/{full.project.name}/{full.uid}/uploads/"
        answer = client.post(
            path, {"names": ["model.pt"]}, content_type="application/json",
            headers={"authorization": basic(make_key(ada))},
        )  # fmt: skip
        assert answer.status_code == 413, answer.content
        assert answer.json()["error"]["code"] == "too_large"
        assert "acme stores 11 GB" in answer.json()["error"]["message"]
        answer = client.post(
            path, {"names": ["config.yaml"]}, content_type="application/json",
            headers={"authorization": basic(make_key(ada))},
        )  # fmt: skip
        assert answer.status_code == 200


def _take_in(run: Run, token: str) -> bool:
    project = run.project
    return record_ingestion(
        team_id=project.team_id, project_id=project.pk, user_id=run.user_id, size_bytes=GB, token=token
    )


def test_trace_data_above_the_limit_is_refused_where_none_is_sold(
    organization: Organization, run: Run, settings
):
    """BIL-3, BIL-4: the limit, the plan and whom to ask are named; what came already is no news."""
    limited(organization, included_ingestion_gb=1)
    assert _take_in(run, "traces-1")
    run_meter()
    assert not _take_in(run, "traces-1")
    with pytest.raises(TooLarge, match=r"acme has used the 1 GB .* plan Small .* ada"):
        _take_in(run, "traces-2")
    settings.ENFORCE_LIMITS = False
    assert _take_in(run, "traces-2")


def test_trace_data_above_the_limit_is_taken_where_it_is_sold(organization: Organization, run: Run):
    """BIL-3."""
    limited(organization, included_ingestion_gb=1, ingestion_price_usd=1)
    assert _take_in(run, "traces-1")
    run_meter()
    assert _take_in(run, "traces-2")
