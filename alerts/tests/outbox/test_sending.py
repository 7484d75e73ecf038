"""ALR-5, wish 82: what is due is sent once, tried again with growing pauses, and holds up nobody."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
import time_machine
from django.db import connection
from django.utils import timezone, translation

from access.actions import Preset
from access.actor import SYSTEM
from access.models import AuditEntry
from accounts.mail import outbox
from alerts.content import render
from alerts.models import Destination, Message, MessageState
from alerts.outbox import leases, results, sending
from alerts.outbox.routing import route_pending
from alerts.outbox.sending import send_due
from alerts.outbox.services import retry_message
from alerts.tests.peers import asks, ends, goes_to, http_peer, told, webhook
from alerts.transports.result import SendResult
from common.errors import Conflict, NotFound
from runs.bulk_actions import deletion
from runs.states import RunState
from teams.models import Membership
from tests.factories import ProjectFactory, RunFactory, TeamFactory, UserFactory, actor, make_member

pytestmark = pytest.mark.django_db


@pytest.fixture
def team():
    return TeamFactory()


@pytest.fixture
def hook(team, listener):
    destination = webhook(team, listener.url)
    goes_to(asks(team, "finished", "crashed", by_email=False), destination)
    return destination


@pytest.fixture
def run(team):
    return RunFactory(project=ProjectFactory(team=team), user=make_member(team))


def message():
    return Message.objects.get()


def shift(seconds):
    return time_machine.travel(timezone.now() + timedelta(seconds=seconds), tick=False)


class TestOutcomes:
    def test_what_is_taken_is_sent_once(self, run, hook, listener):
        """ALR-5."""
        ends(run)
        assert told() == 1
        assert told() == 0
        assert listener.titles == [f"{run.display_name} finished"]
        assert (message().state, message().status, message().attempt_count) == (MessageState.SENT, 200, 1)
        assert message().request.startswith("POST http://127.0.0.1")
        hook.refresh_from_db()
        assert hook.last_sent_at is not None

    def test_what_fails_is_tried_again_with_growing_pauses_then_given_up(self, run, hook, listener):
        """ALR-5: 30 s, 2 m, 10 m, 1 h, 6 h; its last error stays."""
        listener.status = 503
        ends(run)
        route_pending()
        begun, pauses = timezone.now(), []
        with time_machine.travel(begun, tick=False) as clock:
            while message().state == MessageState.WAITING:
                assert send_due() == 1
                pauses.append((message().send_at - timezone.now()).total_seconds())
                clock.move_to(message().send_at + timedelta(seconds=1))
        assert len(listener.posts) == 6
        for pause, least in zip(pauses[:5], results.PAUSES_S, strict=True):
            assert least <= pause <= least * 1.2
        assert message().state == MessageState.FAILED
        assert "503" in message().error
        assert len(set(listener.deliveries)) == 1, "peers know repeats by the id"
        hook.refresh_from_db()
        assert (hook.is_on, hook.last_error) == (True, message().error)

    def test_a_peer_that_asks_to_be_left_alone_is(self, run, hook, listener):
        """ALR-5: Retry-After, for all that waits for it."""
        listener.status, listener.headers = 429, {"Retry-After": "90"}
        ends(run)
        route_pending()
        other = Message.objects.create(recipient="automation:1:x", destination=hook, team=hook.team, is_open=False,
                                       send_at=timezone.now() + timedelta(seconds=5))  # fmt: skip
        with time_machine.travel(timezone.now(), tick=False):
            send_due()
            waits = [
                (row.send_at - timezone.now()).total_seconds() for row in Message.objects.exclude(pk=other.pk)
            ]
            other.refresh_from_db()
            assert waits == [90.0]
            assert (other.send_at - timezone.now()).total_seconds() == 90.0

    def test_nobody_waits_longer_than_an_hour_for_a_peer(self):
        """ALR-5."""
        assert results.pause_after(1, 1e9) == timedelta(hours=1)

    def test_what_is_refused_for_good_is_given_up_at_once(self, run, hook, listener):
        """ALR-5."""
        listener.status = 400
        ends(run)
        told()
        assert (message().state, message().attempt_count) == (MessageState.FAILED, 1)

    def test_a_destination_that_is_gone_is_turned_off_and_its_owner_is_mailed(
        self, run, hook, listener, smtp
    ):
        """ALR-4."""
        owner = hook.team.memberships.get(role__preset="A").user
        Destination.objects.update(created_by=owner)
        listener.status = 410
        ends(run)
        told()
        hook.refresh_from_db()
        assert (hook.is_on, bool(hook.off_reason)) == (False, True)
        outbox.deliver_waiting()
        (mail,) = smtp.to(owner.email)
        assert mail["Subject"] == f"hook of {hook.team.name} was turned off: alerts are not delivered"
        assert AuditEntry.objects.filter(action="destination.turn_off").count() == 1
        ends(RunFactory(project=run.project))
        assert told() == 0

    def test_of_one_whose_maker_left_the_admins_are_mailed(self, run, hook, listener, smtp):
        """ALR-4."""
        gone = make_member(hook.team)
        Destination.objects.update(created_by=gone)
        listener.status = 410
        ends(run)
        told()
        outbox.deliver_waiting()
        chief = hook.team.organization.members.get(role__preset="O").user
        admins = {hook.team.memberships.get(role__preset="A").user, chief}
        assert {mail["To"] for mail in smtp.mails} == {admin.email for admin in admins}

    def test_a_fault_of_ours_is_an_attempt_that_failed(self, run, hook, monkeypatch, caplog):
        """ALR-5: it is not tried in a circle."""

        def fails(*_args, **_kwargs):
            raise ZeroDivisionError

        monkeypatch.setattr(render, "notice_of", fails)
        ends(run)
        assert told() == 1
        assert message().state == MessageState.WAITING
        assert message().error == "ZeroDivisionError in this server; see its log"
        assert message().send_at > timezone.now()


class TestMeanwhile:
    def test_of_a_run_that_was_deleted_nothing_is_said(self, run, hook, listener):
        """ALR-5."""
        other = RunFactory(project=run.project)
        ends(run)
        ends(other)
        route_pending()
        deletion.delete_run(actor=SYSTEM, run=run)
        send_due()
        assert listener.titles == [f"{other.display_name} finished"]

    def test_a_message_of_deleted_runs_alone_is_dropped(self, run, hook, listener):
        """ALR-5."""
        ends(run)
        route_pending()
        deletion.delete_run(actor=SYSTEM, run=run)
        send_due()
        assert (listener.posts, message().state) == ([], MessageState.DROPPED)

    def test_a_destination_that_was_turned_off_gets_nothing(self, run, hook, listener):
        """ALR-4."""
        ends(run)
        route_pending()
        Destination.objects.update(is_on=False)
        send_due()
        assert (listener.posts, message().state) == ([], MessageState.DROPPED)

    def test_why_it_was_dropped_is_shown_in_the_language_of_the_reader(self, team, run, hook, client):
        """UI-9: whatever language the worker had."""
        ends(run)
        route_pending()
        deletion.delete_run(actor=SYSTEM, run=run)
        with translation.override("ko"):
            send_due()
        client.force_login(make_member(team, Preset.ADMIN))
        page = client.get(f"/teams/{team.name}/destinations/{hook.pk}", headers={"Accept-Language": "ja"})
        assert "これらの run を見られなくなった" in page.content.decode()

    @pytest.mark.parametrize("what", ["left", "off", "muted", "asked no more"])
    def test_who_may_not_or_would_not_be_told_any_more_is_not(self, run, what):
        """ALR-2: rights and wishes count when it is sent."""
        author = run.user
        settings = asks(author, "finished")
        ends(run)
        route_pending()
        if what == "left":
            Membership.objects.filter(user=author, team=run.project.team).delete()
        elif what == "off":
            author.is_active = False
            author.save()
        elif what == "muted":
            author.alert_mutes.create(project=run.project)
        else:
            settings.delete()
        send_due()
        assert (message().state, message().mail) == (MessageState.DROPPED, None)

    def test_it_is_sent_to_who_still_may(self, run):
        """ALR-2."""
        asks(run.user, "finished")
        ends(run)
        told()
        assert (message().state, message().mail.to) == (MessageState.SENT, run.user.email)


class TestLeases:
    def test_what_a_worker_has_no_other_takes_until_its_time_is_over(self, run, hook, listener):
        """ALR-5."""
        ends(run)
        route_pending()
        assert leases.claim(message(), timezone.now())
        assert send_due() == 0
        with shift(leases.LEASE.total_seconds() + 1):
            assert send_due() == 1
        assert message().attempt_count == 2
        assert len(listener.posts) == 1

    def test_of_two_who_read_it_one_gets_it(self, run, hook):
        """ALR-5."""
        ends(run)
        route_pending()
        one, other = message(), message()
        assert leases.claim(one, timezone.now())
        assert not leases.claim(other, timezone.now())

    @pytest.mark.parametrize("jump_s", [-86_400, 86_400])
    def test_a_clock_that_jumps_loses_nothing_and_repeats_nothing(
        self, run, hook, listener, settings, jump_s
    ):
        """ALR-5: waiting messages are sent, sent ones are not."""
        settings.ALERT_GATHER_S = 10
        ends(run)
        told()
        with shift(11):
            assert send_due() == 1
        ends(RunFactory(project=run.project))
        route_pending()
        with shift(jump_s):
            assert send_due() == 1
            assert send_due() == 0
        assert len(listener.posts) == 2

    def test_what_this_process_sends_it_takes_no_second_time_whatever_the_clock(self, run, hook, listener):
        """ALR-5."""
        ends(run)
        route_pending()
        with leases.lock_in_process(message().pk), shift(3600):
            assert not sending.send_message(message().pk)
        assert listener.posts == []

    def test_who_was_slow_does_not_undo_what_another_has_sent(self, run, hook):
        """ALR-5."""
        ends(run)
        route_pending()
        slow = message()
        leases.claim(slow, timezone.now())
        Message.objects.update(attempt_count=2, state=MessageState.SENT)
        results.record_result(slow, SendResult(is_ok=False, error="late"))
        assert (message().state, message().error) == (MessageState.SENT, "")


class TestAgain:
    def test_a_message_that_failed_is_sent_again_by_who_manages_alerts(self, run, hook, listener):
        """ALR-5."""
        listener.status = 400
        ends(run)
        told()
        listener.status = 200
        admin = hook.team.memberships.get(role__preset="A").user
        retry_message(actor=actor(admin), message=message())
        send_due()
        assert (message().state, len(set(listener.deliveries))) == (MessageState.SENT, 1)
        with pytest.raises(Conflict):
            retry_message(actor=actor(admin), message=message())

    def test_nobody_else_finds_it(self, run, hook, listener):
        """TEAM-21."""
        listener.status = 400
        ends(run)
        told()
        with pytest.raises(NotFound):
            retry_message(actor=actor(UserFactory()), message=message())


@pytest.mark.django_db(transaction=True)
def test_a_destination_that_answers_slowly_holds_up_no_other(settings, listener):
    """Wish 82: twenty slow ones and a quick one; the quick one is told while the slow ones are waited for."""
    settings.CELERY_TASK_ALWAYS_EAGER = False
    team = TeamFactory()
    asked = asks(team, "crashed", by_email=False)
    with http_peer() as slow:
        slow.answers_after_s = 1.0
        for number in range(20):
            goes_to(asked, webhook(team, slow.url, name=f"slow{number}"))
        bad = webhook(team, slow.url, name="bad")
        Message.objects.bulk_create(
            [
                Message(recipient=f"automation:9:{number}", destination=bad, team=team, send_at=timezone.now(),
                        is_open=False, attempt_count=1)
                for number in range(20)
            ]
        )  # fmt: skip
        goes_to(asked, webhook(team, listener.url, name="quick"))
        ends(RunFactory(project=ProjectFactory(team=team)), RunState.CRASHED)
        route_pending()
        with ThreadPoolExecutor(1) as pool:
            done = pool.submit(_and_close, send_due)
            while not listener.posts:
                assert not done.done()
            assert len(slow.posts) < 21
            assert done.result() == 41
    assert Message.objects.filter(state=MessageState.SENT).count() == 21
    assert Message.objects.filter(state=MessageState.DROPPED).count() == 20


@pytest.mark.django_db(transaction=True)
def test_workers_that_send_at_once_send_each_message_once(settings, listener):
    """ALR-5: on both databases."""
    settings.CELERY_TASK_ALWAYS_EAGER = False
    team = TeamFactory()
    asked = asks(team, "crashed", by_email=False)
    for number in range(12):
        goes_to(asked, webhook(team, listener.url, name=f"hook{number}"))
    ends(RunFactory(project=ProjectFactory(team=team)), RunState.CRASHED)
    route_pending()
    with ThreadPoolExecutor(3) as pool:
        assert sum(pool.map(lambda _: _and_close(send_due), range(3))) == 12
    assert len(listener.posts) == len(set(listener.deliveries)) == 12


def _and_close(work):
    try:
        return work()
    finally:
        connection.close()
