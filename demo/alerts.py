"""What the demo's people and teams are told of, and where it goes. Nothing is sent to those addresses."""

from datetime import timedelta
from typing import Any

OWN: dict[str, dict[str, Any]] = {
    "ada": {"on_crashed": True, "on_killed": True, "on_scripted": True, "least_level": "WARN"},
    "kenji": {"on_finished": True, "on_crashed": True},
}
TEAM: dict[str, dict[str, Any]] = {"vision": {"on_crashed": True, "by_email": True}}
TOLD = [
    (
        "vision",
        "cifar-sweep",
        "WARN",
        "Accuracy has not moved for 10 epochs",
        "Best so far: 0.912 in epoch 14.",
    ),
    (
        "vision",
        "cifar-sweep",
        "ERROR",
        "Loss is NaN",
        "In step 2,310 with learning rate 0.3; the run goes on.",
    ),
]
"""Team, project, level, title and text of alerts that its newest run of ada's sends."""


def choose_alerts() -> None:
    """Switch on, before runs are logged; Django must be set up."""
    from access.actor import SYSTEM
    from accounts.models import User
    from alerts.destinations import services as destinations
    from alerts.preferences import services as preferences
    from teams.models import Team

    for name, switches in OWN.items():
        preferences.change_settings(actor=SYSTEM, user=User.objects.get(username=name), **switches)
    vision, ada = Team.objects.get(name="vision"), User.objects.get(username="ada")
    preferences.change_settings(actor=SYSTEM, team=vision, **TEAM["vision"])
    own = Team.objects.get(claim=ada.claim_id)
    slack = destinations.create_slack_webhook(
        actor=SYSTEM, team=vision, name="#vision-releases", url="https://hooks.slack.com/services/T0/B0/demo"
    )
    phone = destinations.create_webhook(
        actor=SYSTEM, team=own, name="My phone", url="https://ntfy.aurora-labs.example/ada", preset="ntfy"
    )
    # runs of the demo have neither tag, so nothing leaves for addresses of nobody
    preferences.add_route(actor=SYSTEM, team=vision, destination=slack, tag="release")
    preferences.add_route(actor=SYSTEM, user=ada, destination=phone, tag="overnight")


def send_alerts() -> None:
    """Let runs of ada's send alerts, and mute a project."""
    from access.actor import SYSTEM
    from access.web.requests import actor_of_user
    from accounts.models import User
    from alerts.preferences import services as preferences
    from runs.lifecycle.alerts import send_alert
    from runs.models import Project, Run

    for team, project, level, title, text in TOLD:
        runs = Run.objects.live().filter(
            project__team__name=team, project__name=project, user__username="ada"
        )
        run = runs.order_by("-pk").first()
        if run is not None:
            send_alert(actor=SYSTEM, run=run, title=title, text=text, level=level, wait=timedelta())
    kenji = User.objects.get(username="kenji")
    for project_row in Project.objects.live().filter(team__name="vision", name="diffusion"):
        preferences.mute(actor=actor_of_user(kenji), project=project_row)
