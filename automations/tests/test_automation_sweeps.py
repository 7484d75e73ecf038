"""RUN-50, ALR-6: automations act on what happens to sweeps, in a project and all projects of a team."""

from datetime import timedelta
from typing import Any

import pytest
import time_machine
from django.db import transaction
from django.test import Client
from django.utils import timezone

from access.actor import SYSTEM
from accounts.models import OutboxMail, User
from alerts.events import with_runs
from alerts.models import Event
from alerts.tests.peers import http_peer, told, webhook
from alerts.tests.sweeps import has_run, make_sweep
from automations.conditions.filters import parse
from automations.evaluation.preview import preview
from automations.firing.matching import matching
from automations.firing.notices import notice_for
from automations.models import Automation, FailingSweep
from common.errors import Invalid
from runs.models import Project
from runs.states import RunState
from sweeps.lifecycle.deletion import delete_sweep
from sweeps.lifecycle.ending import finish_if_over
from sweeps.lifecycle.services import change_state
from sweeps.models import Sweep
from tests.automations import make_automation
from tests.factories import ProjectFactory, TeamFactory, UserFactory, actor, make_member

pytestmark = pytest.mark.django_db
FAILING = {"share": 0.5, "least_ended": 2}


@pytest.fixture
def ada() -> User:
    return UserFactory(username="ada", email="ada@example.com")


@pytest.fixture
def project(ada: User) -> Project:
    return ProjectFactory(team=TeamFactory(name="vision", admin=ada), name="cifar")


@pytest.fixture
def sweep(project: Project, ada: User) -> Sweep:
    return make_sweep(project, ada)


def waiting(project: Project, event: str, filter: Any = None, **more: Any) -> Automation:  # noqa: A002 - as everywhere
    return make_automation(project, event, filter or {}, once_in_s=0, **more)


def matched() -> list[Automation]:
    """Return what automations act on new events, as the worker finds it."""
    with transaction.atomic():
        found = matching(list(with_runs(Event.objects.filter(routed_at=None).order_by("pk"))))
        Event.objects.update(routed_at=timezone.now())
    return [automation for _, automation in found]


def end(sweep: Sweep, state: str = "FINISHED") -> None:
    change_state(actor=SYSTEM, sweep=sweep, state=state)


def ends_by_itself(sweep: Sweep) -> None:
    Sweep.objects.filter(pk=sweep.pk).update(run_cap=0)
    sweep.refresh_from_db()
    assert finish_if_over(sweep)


ENDS = {
    "FINISHED": ends_by_itself,
    "STOPPED": end,
    "CANCELED": lambda sweep: end(sweep, "CANCELED"),
}


@pytest.mark.parametrize("how", list(ENDS))
def test_the_end_of_a_sweep_is_acted_on_by_how_it_ended(project: Project, sweep: Sweep, how: str) -> None:
    every = waiting(project, "SWEEP_FINISHED")
    own = waiting(project, "SWEEP_FINISHED", {"ended": [how]})
    waiting(project, "SWEEP_FINISHED", {"ended": [other for other in ENDS if other != how]})
    ENDS[how](sweep)
    assert matched() == [every, own]


def test_each_better_run_is_acted_on_and_worse_and_failed_ones_are_not(
    project: Project, sweep: Sweep
) -> None:
    automation = waiting(project, "SWEEP_NEW_BEST")
    for loss, times in ((0.5, 1), (0.7, 0), (0.25, 1)):
        has_run(sweep, loss=loss)
        assert matched() == [automation] * times
    has_run(sweep, RunState.FAILED, loss=0.1)
    assert matched() == []


def test_failures_are_acted_on_once_until_their_share_falls_below_again(
    project: Project, sweep: Sweep
) -> None:
    automation = waiting(project, "SWEEP_RUNS_FAIL", FAILING)
    has_run(sweep, RunState.FAILED)
    assert matched() == [], "one run is too few"
    has_run(sweep, RunState.CRASHED)
    assert matched() == [automation]
    has_run(sweep, RunState.FAILED)
    assert matched() == [], "it is known"
    for _ in range(3):
        has_run(sweep)
    assert matched() == []
    assert not FailingSweep.objects.exists()
    has_run(sweep, RunState.FAILED)
    assert matched() == [automation], "4 of 7 failed"


def test_failures_that_are_routed_together_are_acted_on_as_one_by_one(project: Project, sweep: Sweep) -> None:
    automation = waiting(project, "SWEEP_RUNS_FAIL", FAILING)
    other = make_sweep(project, name="other")
    for state in (RunState.FAILED, RunState.FAILED, RunState.FINISHED, RunState.FINISHED, RunState.FAILED):
        has_run(sweep, state)
    has_run(other, RunState.FAILED)
    has_run(other, RunState.CRASHED)
    assert matched() == [automation] * 3
    assert FailingSweep.objects.count() == 2


def test_a_share_that_is_just_reached_is_not_above_it(project: Project, sweep: Sweep) -> None:
    waiting(project, "SWEEP_RUNS_FAIL", FAILING)
    has_run(sweep)
    has_run(sweep, RunState.FAILED)
    assert matched() == []


def test_automations_of_the_project_and_the_team_act_and_others_do_not(
    project: Project, sweep: Sweep
) -> None:
    own, team = waiting(project, "SWEEP_FINISHED"), waiting(project, "SWEEP_FINISHED", is_of_team=True)
    waiting(ProjectFactory(team=project.team), "SWEEP_FINISHED")
    waiting(project, "SWEEP_FINISHED", is_on=False)
    end(sweep)
    assert matched() == [own, team]


@pytest.mark.parametrize(
    ("pattern", "is_met"), [("^lr-", True), ("search$", True), ("^momentum", False), ("ID", True)]
)
def test_a_sweep_is_chosen_by_its_name_or_id(
    project: Project, sweep: Sweep, pattern: str, is_met: bool
) -> None:
    automation = waiting(project, "SWEEP_FINISHED", {"sweep": sweep.uid if pattern == "ID" else pattern})
    end(sweep)
    assert matched() == [automation] * is_met


def test_what_nobody_waits_for_is_not_written(project: Project, sweep: Sweep) -> None:
    waiting(project, "SWEEP_FINISHED")
    has_run(sweep, loss=0.5)
    assert not Event.objects.filter(kind="sweep").exists()


def test_a_sweep_that_was_deleted_since_is_not_acted_on(project: Project, sweep: Sweep) -> None:
    waiting(project, "SWEEP_FINISHED")
    end(sweep)
    delete_sweep(actor=SYSTEM, sweep=sweep, with_runs=False)
    assert matched() == []


def test_messages_name_the_sweep_its_best_run_and_its_failures(project: Project, sweep: Sweep) -> None:
    automation = waiting(
        project, "SWEEP_FINISHED",
        title="${sweep_name} ${sweep_id} ${sweep_state}",
        message="${best_value} by ${best_run} at ${best_run_url}, ${failed_runs} of ${ended_runs}, ${run_name}",
    )  # fmt: skip
    best = has_run(sweep, loss=0.25)
    has_run(sweep, RunState.FAILED)
    end(sweep)
    event = with_runs(Event.objects.filter(kind="sweep")).get()
    notice = notice_for(automation, event)
    assert notice.title == f"lr-search {sweep.uid} STOPPED"
    page = f"/vision/cifar/runs/{best.uid}"
    assert notice.text.startswith(f"0.25 by {best.display_name} at http")
    assert notice.text.endswith(f"{page}, 1 of 2, ")
    assert notice.url.endswith(f"/vision/cifar/sweeps/{sweep.uid}")
    fields = dict(notice.fields)
    assert (fields["Sweep"], fields["Best loss"], fields["Runs"]) == (
        "lr-search", "0.25", "1 run finished, 1 run failed",
    )  # fmt: skip


def test_without_words_of_its_own_it_says_what_happened(project: Project, sweep: Sweep) -> None:
    best, failing = waiting(project, "SWEEP_NEW_BEST"), waiting(project, "SWEEP_RUNS_FAIL", {"share": 0.1})
    run = has_run(sweep, loss=0.25)
    has_run(sweep, RunState.FAILED)
    events = {event.data["event"]: event for event in with_runs(Event.objects.filter(kind="sweep"))}
    assert notice_for(best, events["SWEEP_NEW_BEST"]).text == (
        f"lr-search: {run.display_name} is the new best run, loss 0.25."
    )
    last = with_runs(Event.objects.filter(kind="sweep", data__event="SWEEP_RUN_ENDED")).last()
    assert last is not None
    assert notice_for(failing, last).text == "lr-search: 1 of 2 runs that ended have failed or crashed."


def test_who_created_the_sweep_and_members_who_see_it_are_mailed(
    ada: User, project: Project, sweep: Sweep
) -> None:
    bob = make_member(project.team, username="bob")
    waiting(project, "SWEEP_FINISHED", action="EMAIL", mail_to=[bob], mail_author=True, name="Sweeps")
    end(sweep)
    OutboxMail.objects.all().delete()
    told()
    mails = {mail.to: mail for mail in OutboxMail.objects.all()}
    assert mails.keys() == {"ada@example.com", bob.email}
    assert "lr-search was stopped." in mails[bob.email].text
    assert "Open the sweep" in mails[bob.email].text


def test_a_webhook_is_called_for_each_event_with_numbers_as_numbers(
    project: Project, sweep: Sweep, settings: Any
) -> None:
    settings.ALLOWED_NETWORKS = ["127.0.0.0/8"]
    payload = '{"best": ${best_value}, "ended": ${ended_runs}, "event": "${event_type}"}'
    with http_peer() as peer:
        hook = webhook(project.team, peer.url)
        waiting(project, "SWEEP_NEW_BEST", action="GENERIC_WEBHOOK", destination=hook, payload=payload)
        has_run(sweep, loss=0.5)
        has_run(sweep, loss=0.25)
        told()
    assert sorted(peer.posts, key=lambda post: post["ended"]) == [
        {"best": 0.5, "ended": 1, "event": "SWEEP_NEW_BEST"},
        {"best": 0.25, "ended": 2, "event": "SWEEP_NEW_BEST"},
    ]


def test_the_history_leads_to_the_sweep_and_hides_what_the_reader_does_not_see(
    ada: User, project: Project, sweep: Sweep, client: Client
) -> None:
    automation = waiting(project, "SWEEP_FINISHED")
    end(sweep)
    told()
    client.force_login(ada)
    url = f"/vision/cifar/automations/{automation.pk}"
    page = client.get(url).content.decode()
    assert "lr-search was stopped." in page
    assert f"/vision/cifar/sweeps/{sweep.uid}" in page
    assert "At most once per run in" not in page
    delete_sweep(actor=SYSTEM, sweep=sweep, with_runs=False)
    assert "A sweep that is deleted or not visible to you" in client.get(url).content.decode()


@pytest.mark.parametrize(
    ("event", "given", "says"),
    [
        ("SWEEP_FINISHED", {"ended": ["LOST"]}, "ended must be a list of FINISHED, STOPPED, CANCELED"),
        ("SWEEP_FINISHED", {"ended": []}, "ended must be a list"),
        ("SWEEP_FINISHED", {"share": 0.5}, "no field “share”"),
        ("SWEEP_NEW_BEST", {"sweep": "("}, "("),
        ("SWEEP_NEW_BEST", {"sweep": 7}, "sweep must be a text"),
        ("SWEEP_RUNS_FAIL", {}, "share must be a number"),
        ("SWEEP_RUNS_FAIL", {"share": 1}, "less than 1, not 1"),
        ("SWEEP_RUNS_FAIL", {"share": True}, "not True"),
        ("SWEEP_RUNS_FAIL", {"share": 0.5, "least_ended": 0}, "least_ended must be a whole number from 1"),
    ],
)
def test_what_is_wrong_with_a_filter_is_said(event: str, given: Any, says: str) -> None:
    with pytest.raises(Invalid) as refused:
        parse(event, given)
    assert says in refused.value.message


def test_a_filter_is_stored_in_one_form() -> None:
    assert parse("SWEEP_FINISHED", {"ended": "STOPPED"}).canonical == {"sweep": "", "ended": ["STOPPED"]}
    assert parse("SWEEP_RUNS_FAIL", {"share": 0}).canonical == {"sweep": "", "share": 0.0, "least_ended": 1}


def firings(ada: User, project: Project, event: str, filter: Any = None) -> list[str]:  # noqa: A002 - as everywhere
    found = preview(actor=actor(ada), team=project.team, project=project, event=event, filter=filter or {})
    return [one.why for one in found.firings]


def test_a_preview_says_what_happened_to_sweeps_in_the_last_days(
    ada: User, project: Project, sweep: Sweep
) -> None:
    now = timezone.now()
    runs = []
    for hours, (state, loss) in enumerate(
        [(RunState.FINISHED, 0.5), (RunState.FAILED, 0.1), (RunState.FAILED, None), (RunState.KILLED, 0.25)]
    ):
        with time_machine.travel(now - timedelta(hours=5 - hours), tick=False):
            runs.append(has_run(sweep, state, loss=loss))
    end(sweep)
    assert firings(ada, project, "SWEEP_FINISHED") == ["lr-search was stopped."]
    assert firings(ada, project, "SWEEP_FINISHED", {"ended": ["FINISHED"]}) == []
    assert firings(ada, project, "SWEEP_FINISHED", {"sweep": "^other"}) == []
    assert firings(ada, project, "SWEEP_NEW_BEST") == [
        f"lr-search: {runs[3].display_name} is the new best run, loss 0.25.",
        f"lr-search: {runs[0].display_name} is the new best run, loss 0.5.",
    ]
    assert firings(ada, project, "SWEEP_RUNS_FAIL", FAILING) == [
        "lr-search: 2 of 3 runs that ended have failed or crashed."
    ]
    with time_machine.travel(now + timedelta(days=8)):
        assert firings(ada, project, "SWEEP_FINISHED") == firings(ada, project, "SWEEP_NEW_BEST") == []


def test_a_preview_leaves_out_sweeps_that_the_reader_does_not_see(project: Project, sweep: Sweep) -> None:
    end(sweep)
    stranger = UserFactory()
    other = ProjectFactory(team=TeamFactory(admin=stranger))
    assert firings(stranger, other, "SWEEP_FINISHED") == []


def test_the_editor_shows_its_fields_and_a_preview(
    ada: User, project: Project, sweep: Sweep, client: Client
) -> None:
    end(sweep)
    client.force_login(ada)
    fields = {
        "event": "SWEEP_RUNS_FAIL", "failed_percent": "20", "least_ended": "3", "sweep": "^lr", "scope": "cifar",
        "action": "NO_OP", "name": "failing", "once_in_s": "86400", "is_on": "on",
    }  # fmt: skip
    url = "/vision/cifar/automations/new"
    assert client.post(url, fields).status_code == 302
    made = Automation.objects.get()
    assert made.filter == {"sweep": "^lr", "share": 0.2, "least_ended": 3}
    page = client.get(f"/vision/cifar/automations/{made.pk}/edit").content.decode()
    assert 'value="20"' in page
    assert "Sweep events" in page
    shown = client.post(
        url, fields | {"event": "SWEEP_FINISHED", "ended": ["STOPPED"], "part": "preview"},
        headers={"HX-Request": "true"},
    ).content.decode()  # fmt: skip
    assert "for 1 sweep" in " ".join(shown.split())
    assert f"/vision/cifar/sweeps/{sweep.uid}" in shown


def test_rest_makes_one_and_previews_it(ada: User, project: Project, sweep: Sweep, client: Client) -> None:
    end(sweep)
    client.force_login(ada)
    body = {
        "entity": "vision",
        "project": "cifar",
        "event": "SWEEP_FINISHED",
        "filter": {"ended": ["STOPPED"]},
    }
    answer = client.post(
        "/api/v1/automations/", body | {"name": "ends", "action": "NO_OP"}, content_type="application/json"
    )
    assert answer.status_code == 201, answer.content
    assert answer.json()["when"] == "A sweep finishes (stopped)"
    tried = client.post("/api/v1/automations/preview/", body, content_type="application/json").json()
    (firing,) = tried["firings"]
    assert (firing["sweep"], firing["sweep_name"], firing["run"], firing["project"]) == (
        sweep.uid, "lr-search", None, "cifar",
    )  # fmt: skip
    assert tried["sweeps_looked_at"] == 1
