"""BIL-4, BIL-10, BIL-11: the history of use and money outlives what it speaks of."""

from typing import Any

import pytest
from django.apps import apps
from django.db.models import Model
from django.db.models.deletion import CASCADE, PROTECT
from django.utils import timezone

from access.actor import SYSTEM
from runs.bulk_actions import deletion
from runs.lifecycle import services as lifecycle
from runs.models import Run
from runs.tasks import purge_runs
from tests.factories import RunFactory
from usage.models import HardwareUse, IngestionEntry, ReportedTime, TrackedInterval, UsageDay

LEDGERS: tuple[type[Model], ...] = (TrackedInterval, ReportedTime, IngestionEntry, HardwareUse, UsageDay)
GO_WITH_THEIR_OWN = {
    "BillingAdmin.organization", "BillingAdmin.user", "InternalPrices.organization", "InvoiceLine.invoice",
    "UsageAlert.subscription", "NoticeDismissal.user", "NoticeDismissal.subscription",
}  # fmt: skip
"""Rights, prices and parts; everything else that points at a row keeps it."""


def keys_of(model: type[Model]) -> list[Any]:
    return [field for field in model._meta.get_fields() if field.concrete and field.is_relation]


def test_ledgers_point_at_nothing():
    """BIL-4: they speak of teams, projects, runs and people by number, so nothing takes them along."""
    assert {f"{model.__name__}.{field.name}" for model in LEDGERS for field in keys_of(model)} == set()


def test_only_rights_and_parts_go_with_what_they_belong_to():
    """BIL-10, BIL-11: a subscription with its invoices and payments cannot be deleted, nor its organization's row."""
    for model in apps.get_app_config("billing").get_models():
        for field in keys_of(model):
            if field.many_to_many:  # its rows are nobody's but their two ends'
                continue
            name = f"{model.__name__}.{field.name}"
            expected = CASCADE if name in GO_WITH_THEIR_OWN else PROTECT
            assert field.remote_field.on_delete is expected, name


@pytest.mark.django_db
def test_a_purged_run_leaves_its_use():
    """BIL-4, RUN-9."""
    run, now = RunFactory(), timezone.now()
    lifecycle.finish_run(run_id=run.pk, exit_code=0, at=now)
    team_id, project_id = run.project.team_id, run.project_id
    of = {"team_id": team_id, "project_id": project_id, "run_id": run.pk, "user_id": run.user_id}
    TrackedInterval.objects.filter(run_id=run.pk).delete()
    TrackedInterval.objects.create(**of, began_at=now, ended_at=now, not_before=now, counted_to=now)
    ReportedTime.objects.create(**of, at=now, seconds=60)
    HardwareUse.objects.create(**of, day=now.date(), gpu_s=60, energy_j=6000, row_from=0, row_to=4)
    IngestionEntry.objects.create(team_id=team_id, project_id=project_id, size_bytes=10, token="t")
    UsageDay.objects.create(team_id=team_id, project_id=project_id, user_id=of["user_id"], day=now.date())
    before = {model: list(model._default_manager.order_by("pk").values()) for model in LEDGERS}
    deletion.delete_runs(actor=SYSTEM, run_ids=[run.pk])
    deletion.purge_now(actor=SYSTEM, run_ids=[run.pk])
    purge_runs()
    assert Run.objects.get(pk=run.pk).purged_at is not None
    assert {model: list(model._default_manager.order_by("pk").values()) for model in LEDGERS} == before
