"""Automations of the demo, where they send, and what they did; nothing of it ever reaches a network.

The Slack channel is off, the webhook's host does not exist, and what was done is written as the sender leaves it.
"""

import json
from datetime import timedelta
from typing import Any

from django.utils import timezone

from access.web.requests import actor_of_user
from accounts.models import User
from alerts.models import Delivery, Destination, Event, EventKind, Message, MessageState
from automations.models import Automation
from automations.services import AutomationFields, create_automation
from runs.models import Project, Run
from teams.models import Team

FIRST = 7001
"""The number of the first; addresses in `demo.pages` hold it, whatever else an installation has."""
BASELINE = '{"$and":[{"tags":{"$contains":"baseline"}}]}'


def make_automations() -> None:
    """Make a few in vision, once its projects are there."""
    team = Team.objects.get(name="vision")
    project = Project.objects.filter(team=team, name="cifar-sweep").first()
    if project is None:
        return
    slack = Destination.objects.get(team=team, name="#old-lab")
    webhook = Destination.objects.get(team=team, name="Deploy the best model")
    wanted = enumerate(_definitions(slack, webhook), FIRST)
    made = [_make(number, author, team, project, fields) for number, (author, fields) in wanted]
    _add_history(project, *made)
    everywhere = AutomationFields(
        name="Anything crashed", event="RUN_STATE", filter=_state("CRASHED"), action="NO_OP", once_in_s=3600,
    )  # fmt: skip
    _make(FIRST + len(made), "ada", team, None, everywhere)


def _person(name: str) -> Any:
    return actor_of_user(User.objects.get(username=name))


def _state(*states: str, runs: str = '{"$and":[]}') -> dict[str, Any]:
    return {"run_filter": runs, "run_state_filter": {"states": list(states)}}


def _metric(kind: str, runs: str = '{"$and":[]}', **fields: Any) -> dict[str, Any]:
    return {"run_filter": runs, "run_metric_filter": {kind: fields}}


def _definitions(slack: Destination, webhook: Destination) -> list[tuple[str, AutomationFields]]:
    """Return author and fields of each."""
    failed = AutomationFields(
        name="Tell who is on duty", event="RUN_STATE", filter=_state("FAILED"), action="NOTIFICATION",
        destination=slack,
        title="${run_name} is ${run_state}", message="By ${event_author}, in ${project_name}: ${run_url}",
        severity="ERROR", description="Whoever is on duty looks at the log and restarts what is worth it.",
    )  # fmt: skip
    good = AutomationFields(
        name="Deploy what is good", event="RUN_METRIC", action="GENERIC_WEBHOOK", destination=webhook,
        filter=_metric("threshold_filter", name="val/loss", agg_op="AVERAGE", window_size=5, cmp_op="$lt",
                       threshold=0.6),
        payload='{"run": "${run_id}", "metric": "${metric_name}", "value": ${metric_value}}',
    )  # fmt: skip
    jumps = AutomationFields(
        name="Watch the baseline loss", event="RUN_METRIC_ZSCORE", action="NO_OP", once_in_s=21_600,
        filter=_metric(
            "zscore_filter", BASELINE, name="train/loss", window_size=30, threshold=4, change_dir="INCREASE",
        ),
    )  # fmt: skip
    falls = AutomationFields(
        name="Accuracy falls", event="RUN_METRIC_CHANGE", action="NOTIFICATION", destination=slack, is_on=False,
        filter=_metric("change_filter", name="val/accuracy", agg_op="AVERAGE", current_window_size=10,
                       prior_window_size=50, change_amount=0.05, change_type="RELATIVE", change_dir="DECREASE"),
    )  # fmt: skip
    return [("ada", failed), ("kenji", good), ("minseo", jumps), ("kenji", falls)]


def _make(
    number: int, author: str, team: Team, project: Project | None, fields: AutomationFields
) -> Automation:
    row = create_automation(actor=_person(author), team=team, project=project, fields=fields)
    Automation.objects.filter(pk=row.pk).update(id=number)
    return Automation.objects.select_related("destination").get(pk=number)


def _add_history(
    project: Project, failed: Automation, good: Automation, jumps: Automation, _falls: Automation
) -> None:
    """Write what they did in the last days: one of each outcome at least."""
    there = Run.objects.live().filter(project=project).order_by("-created_at", "-pk")
    runs, broken = list(there[:40]), list(there.filter(state__in=["failed", "crashed"])[:6])
    for number, run in reversed(list(enumerate(broken))):
        state = {"state": run.state, "before": "running"}
        _acted(failed, run, 3 + 11 * number, state, _slack_request(run), status=200, response="ok")
    for number, run in reversed(list(enumerate(runs[:9]))):
        value = 0.59 - 0.004 * number
        data = _met(good, "val/loss", value=value, measured=value, threshold=0.6, step=400)
        request = json.dumps({"run": run.uid, "metric": "val/loss", "value": round(value, 4)}, indent=2)
        is_broken = number in {0, 4}
        _acted(
            good, run, 2 + 7 * number, data, f"POST https://ci.aurora-labs.example/…\n\n{request}",
            status=502 if is_broken else 202, response=_BAD_GATEWAY if is_broken else '{"queued": true}',
            error="The webhook answered 502 Bad Gateway, six times in 7 hours." if is_broken else "",
        )  # fmt: skip
    for number, run in reversed(list(enumerate(runs[10:13]))):
        data = _met(jumps, "train/loss", value=5.1 + number, measured=4.6 + number, threshold=4, step=220)
        _acted(jumps, run, 5 + 19 * number, data, "", status=None, response="")


def _met(automation: Automation, metric: str, *, step: int, **numbers: float) -> dict[str, Any]:
    condition = automation.filter["run_metric_filter"]
    return {
        "event": automation.event, "condition": condition, "metric": metric, "row": step, "step": step, **numbers
    }  # fmt: skip


_BAD_GATEWAY = (
    "<html>\n<head><title>502 Bad Gateway</title></head>\n<body><h1>502 Bad Gateway</h1></body>\n</html>"
)


def _slack_request(run: Run) -> str:
    body = {"text": f"{run.display_name} is {run.state}", "blocks": [{"type": "header", "text": "…"}]}
    return "POST https://hooks.slack.com/services/…\n\n" + json.dumps(body, indent=2, ensure_ascii=False)


def _acted(
    automation: Automation,
    run: Run,
    hours_ago: float,
    data: dict[str, Any],
    request: str,
    *,
    status: int | None,
    response: str,
    error: str = "",
) -> None:
    """Write an event, its message and the message's outcome."""
    at = timezone.now() - timedelta(hours=hours_ago)
    kind = EventKind.RUN_STATE if automation.event == "RUN_STATE" else EventKind.RUN_METRIC
    event = Event.objects.create(
        kind=kind, team_id=automation.team_id, project_id=run.project_id, run=run, at=at, data=data, routed_at=at,
        automation=automation if kind == EventKind.RUN_METRIC else None,
    )  # fmt: skip
    recipient = f"automation:{automation.pk}:{str(event.uid)[:8]}"
    message = Message.objects.create(
        recipient=recipient, destination=automation.destination, automation=automation, is_open=False,
        state=MessageState.FAILED if error else MessageState.SENT, opened_at=at, send_at=at,
        ended_at=at + timedelta(seconds=2), attempt_count=6 if error else 1, request=request, status=status,
        response=response, error=error, team_id=automation.team_id,
    )  # fmt: skip
    Delivery.objects.create(event=event, message=message, recipient=recipient)
    if automation.last_fired_at is None or automation.last_fired_at < at:
        automation.last_fired_at = at
        automation.save(update_fields=["last_fired_at"])
