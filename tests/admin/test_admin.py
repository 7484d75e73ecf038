"""TEAM-21, ARC: the operators' admin, walked whole: every page opens, and none costs more for more rows."""

from datetime import date, timedelta
from typing import Any

import pytest
from allauth.socialaccount.models import SocialAccount
from allauth.usersessions.models import UserSession
from django.apps import apps
from django.contrib import admin
from django.db import connection
from django.db.models import Model
from django.test import Client, RequestFactory
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from access.actions import Preset
from access.actor import SYSTEM
from accounts.models import OutboxMail, SignInProvider, User
from accounts.operators.admin_actions import ServedAdmin
from alerts.models import AlertSettings, Delivery, Destination, Event, Message, Mute, Route
from artifacts.models import ProtectedAlias, Registry, RetentionPolicy, Version
from artifacts.tests.factories import make_version, place_of
from artifacts.versions.aliases import add_aliases
from artifacts.versions.links import link_version
from automations.models import Automation
from billing.models import (
    BillingAdmin,
    GatewayEvent,
    Invoice,
    InvoiceLine,
    NoticeDismissal,
    Payment,
    PaymentMethod,
    PeriodClose,
    UsageAlert,
)
from billing.subscriptions.selectors import subscription_of
from config.admin.registration import register_models
from exports.services import request_export
from metrics.models import Sequence, Stream, StreamKind
from runs.models import Run, SavedView, StoredChart
from storage.models import Blob, Bucket, BucketMove
from storage.services import record_bytes
from sweeps.agents.services import answer_heartbeat, register_agent
from sweeps.lifecycle.services import create_sweep
from sweeps.models import Trial
from teams.invitations.services import invite
from teams.models import GroupMapping, Team
from teams.roles.builtin import built_in
from tests.factories import (
    OrganizationFactory,
    ProjectFactory,
    RunFactory,
    ServiceAccountFactory,
    TeamFactory,
    UserFactory,
    actor,
    add_run_file,
    custom_role,
    make_key,
    make_member,
)
from tests.suite.passes import amount
from usage.models import (
    GpuClaim,
    HardwareShift,
    HardwareUse,
    IngestionEntry,
    InternalPrices,
    MeterState,
    ReportedTime,
    TeamDay,
    TrackedInterval,
    UsageDay,
)

pytestmark = pytest.mark.django_db
register_models()
MODELS: list[type[Model]] = sorted(admin.site._registry, key=lambda model: model._meta.label)


@pytest.fixture
def operator(client: Client) -> Client:
    client.force_login(UserFactory(username="boss", is_operator=True))
    return client


def fill(team: Team, number: int) -> None:
    """Add a row to every table that the admin shows, all around one team."""
    member, key_holder = make_member(team), make_member(team)
    make_key(key_holder)
    ServiceAccountFactory(team=team)
    assert team.organization is not None
    custom_role(team.organization, ["run.view"])
    invite(actor=SYSTEM, team=team, role=built_in(Preset.MEMBER), email=f"new{number}@example.com")
    project = ProjectFactory(team=team)
    run = RunFactory(project=project, user=member)
    add_run_file(run, "notes.txt", run.uid.encode())
    add_artifacts(run, number)
    add_sweep(run)
    slug = f"provider{number}"
    SignInProvider.objects.create(slug=slug, name=slug, issuer="https://sso.example.com", client_id="runyard")
    SocialAccount.objects.create(user=member, provider=slug, uid=slug)
    GroupMapping.objects.create(provider=slug, group="ml", team=team, role=built_in(Preset.MEMBER))
    record_bytes(team_id=team.pk, delta_bytes=1, category="log")
    bucket = Bucket.objects.create(url=f"s3://{slug}", folder=slug)
    Blob.objects.create(bucket=bucket, md5=slug, size_bytes=1, location=slug)
    SavedView.objects.create(project=project, user=member, name="mine")
    StoredChart.objects.create(team=team, name=f"chart{number}", spec="{}", created_by=member)
    Stream.objects.create(run=run, kind=StreamKind.HISTORY)
    Sequence.objects.create(
        run=run, kind=StreamKind.HISTORY, writer="w", first_offset=0, base_row=0, row_count=1, written_at=0.0
    )
    OutboxMail.objects.create(to="a@example.com", subject=f"mail {number}", text="words", html="words")
    add_alerts(run, number)
    add_billing(run, number)
    request_export(actor=actor(key_holder), team=Team.objects.get(claim=key_holder.claim_id))
    UserSession.objects.create(user=member, ip="127.0.0.1", session_key=f"session{number}")


def add_artifacts(run: Run, number: int) -> None:
    """Add a row to every table of artifacts, and a link and an alias to what is there."""
    make_version(run.project, run=run, tags=["gold"], by=actor(run.user) if run.user else SYSTEM)
    first = Version.objects.order_by("pk")[0]
    link_version(actor=SYSTEM, version=first, project=run.project, name=f"portfolio{number}")
    add_aliases(actor=SYSTEM, membership=place_of(first), names=[f"alias{number}"])
    RetentionPolicy.objects.create(team=TeamFactory())
    registry = Registry.objects.order_by("-pk")[0]
    ProtectedAlias.objects.create(registry=registry, name=f"alias{number}")


def add_sweep(run: Run) -> None:
    """Add a row to every table of sweeps: an agent works on the run."""
    by = actor(run.user) if run.user else SYSTEM
    text = "{method: grid, parameters: {lr: {values: [1, 2]}}}"
    sweep, _warnings = create_sweep(actor=by, project=run.project, config_text=text)
    answer_heartbeat(register_agent(actor=by, sweep=sweep, host="gpu-1"), set())
    Trial.objects.filter(sweep=sweep).update(run=run)


def add_alerts(run: Run, number: int) -> None:
    """Add a row to every table of alerts."""
    team, member = run.project.team, run.user
    assert member is not None
    settings = AlertSettings.objects.create(user=member)
    hook = Destination.objects.create(team=team, kind="webhook", name=f"hook{number}", sealed_url="sealed")
    Route.objects.create(settings=settings, destination=hook, project=run.project)
    Mute.objects.create(user=member, project=run.project)
    automation = Automation.objects.create(
        team=team, project=run.project, name=f"watch{number}", event="RUN_STATE", action="GENERIC_WEBHOOK",
        destination=hook,
    )  # fmt: skip
    event = Event.objects.create(
        kind="run_metric", team=team, project=run.project, run=run, automation=automation
    )
    message = Message.objects.create(
        recipient=f"automation:{automation.pk}", destination=hook, automation=automation, team=team,
        send_at=run.started_at,
    )  # fmt: skip
    Delivery.objects.create(event=event, message=message, recipient=message.recipient)


def add_billing(run: Run, number: int) -> None:
    """Add a row to every table of billing."""
    member, team = run.user, run.project.team
    assert member is not None
    assert team.organization is not None
    subscription, now, day = subscription_of(team.organization), run.started_at, date(2026, 1, 1)
    make_member(team, Preset.ORGANIZATION_ADMIN)
    BillingAdmin.objects.create(organization=team.organization, user=member)
    InternalPrices.objects.create(organization=OrganizationFactory())
    days = {"period_start": day + timedelta(days=number), "period_end": day + timedelta(days=number + 1)}
    method = PaymentMethod.objects.create(
        subscription=subscription, gateway="manual", ref=f"{number}", brand="bank transfer"
    )
    invoice = Invoice.objects.create(
        subscription=subscription, sequence=number + 1, number=f"invoice{number}", kind="period", due_at=now,
        total_usd=1, **days,
    )  # fmt: skip
    InvoiceLine.objects.create(
        invoice=invoice, position=1, category="plan", quantity=1, unit_price_usd=1, amount_usd=1
    )
    Payment.objects.create(invoice=invoice, method=method, gateway="manual", amount_usd=1)
    PeriodClose.objects.create(subscription=subscription, **days)
    NoticeDismissal.objects.create(
        user=member, subscription=subscription, limit="hours", stage="near", period_start=now.date()
    )
    UsageAlert.objects.create(
        subscription=subscription, period_start=days["period_start"], category="hours", threshold=85
    )
    GatewayEvent.objects.create(gateway="stripe", event_ref=f"event{number}", kind="charge.failed")
    MeterState.objects.get_or_create(pk=1)
    UsageDay.objects.create(team_id=team.pk, day=days["period_start"])
    TeamDay.objects.create(team_id=team.pk, day=days["period_start"])
    of = {"team_id": team.pk, "project_id": run.project_id, "user_id": member.pk, "run_id": run.pk}
    times = {"began_at": now, "ended_at": now, "not_before": now, "counted_to": now}
    TrackedInterval.objects.create(**of, **times)
    ReportedTime.objects.create(**of, at=now, seconds=1)
    HardwareUse.objects.create(**of, day=day, row_from=number, row_to=number + 1)
    HardwareShift.objects.create(**of, day=day)
    GpuClaim.objects.create(**of, gpu=f"team:1 GPU-{number}", rank=0, began_at=number, ended_at=number + 1)
    BucketMove.objects.create(team=team, target=Bucket.objects.latest("pk"), finished_at=now)
    IngestionEntry.objects.create(team_id=team.pk, size_bytes=1, token=f"token{number}")


def page(model: type[Model], name: str, *args: Any) -> str:
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_{name}", args=args)


def _pages() -> dict[str, str]:
    """Return the list of each model, and the page of its first row."""
    rows = [(model, model._default_manager.order_by("pk").first()) for model in MODELS]
    missing = [model._meta.label for model, row in rows if row is None]
    assert not missing, "fill() makes none of these"
    shown = {f"{model._meta.label} list": page(model, "changelist") for model in MODELS}
    return shown | {f"{model._meta.label} row": page(model, "change", row.pk) for model, row in rows if row}


def _cost(operator: Client, path: str) -> list[str]:
    with CaptureQueriesContext(connection) as asked:
        answer = operator.get(path)
    assert answer.status_code == 200, path
    assert answer.content
    return [str(query["sql"]) for query in asked.captured_queries]


def test_no_list_and_no_page_asks_more_for_more_rows(operator: Client):
    """TEAM-21: with several rows of every table each page costs what it does with one."""
    rows = amount("rows of each table of the admin", 4, 25)
    team = TeamFactory()
    fill(team, 0)
    paths = _pages()
    operator.get(reverse("admin:index"))
    few = {name: _cost(operator, path) for name, path in paths.items()}
    for number in range(1, rows):
        fill(team, number)
    many = {name: _cost(operator, path) for name, path in paths.items()}
    # a list's date hierarchy asks once more where its rows are of one day only, or of several
    worse = {name: many[name] for name in paths if len(many[name]) > len(few[name])}
    assert not worse, {name: sorted(set(queries) - set(few[name])) for name, queries in worse.items()}
    assert Run.objects.count() == User.objects.filter(runs__isnull=False).count() == rows


def test_every_list_finds(operator: Client):
    """TEAM-21: search works on every list that offers it."""
    fill(TeamFactory(), 0)
    searched = [model for model in MODELS if admin.site._registry[model].search_fields]
    assert len(searched) > 20
    for model in searched:
        for text in ("7", "team"):
            assert operator.get(page(model, "changelist"), {"q": text}).status_code == 200, model


EDITED = {"billing.Plan"}
"""What of billing operators write themselves (BIL-3); everything else is made by services."""


def test_operators_see_all_of_billing():
    """BIL-3, BIL-11: every table has a list, or is shown with what it belongs to."""
    shown = {inline.model for model in MODELS for inline in admin.site._registry[model].inlines}
    models = {model for label in ("usage", "billing") for model in apps.get_app_config(label).get_models()}
    assert {model._meta.label for model in models - shown - set(MODELS)} == set()


@pytest.mark.parametrize(
    "model",
    [model for model in MODELS if model._meta.app_label in {"usage", "billing"}],
    ids=lambda model: model._meta.label,
)
def test_history_of_money_is_only_looked_at(rf: RequestFactory, model: type[Model]):
    """BIL-11: nobody adds, changes or deletes it in the admin; what may change does so by a service."""
    if model._meta.label in EDITED:
        pytest.skip("operators edit plans")
    request = rf.get("/admin/")
    request.user = UserFactory(is_operator=True)
    shown = admin.site._registry[model]
    assert not shown.has_change_permission(request)
    assert not shown.has_delete_permission(request)
    is_served = isinstance(shown, ServedAdmin) and shown.creation is not None
    assert not shown.has_add_permission(request) or is_served
    for inline in shown.get_inline_instances(request):
        assert not inline.has_add_permission(request, None)
        assert not inline.has_change_permission(request)
        assert not inline.has_delete_permission(request)
