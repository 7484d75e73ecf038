"""``make demo``: fill the running server; ``--live 10`` keeps three runs logging for ten minutes afterwards."""

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import django

from demo.plans import Plan
from demo.projects import DESCRIPTIONS, all_plans
from demo.wire import DESCRIBE, Server


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="make demo", description=__doc__)
    parser.add_argument("--url", default="http://localhost:8000", help="where the server answers")
    parser.add_argument(
        "--only", nargs="+", choices=list(DESCRIPTIONS), default=list(DESCRIPTIONS), help="projects"
    )
    parser.add_argument(
        "--live", type=float, default=0, metavar="MINUTES", help="how long three more runs log"
    )
    return parser.parse_args()


def main() -> None:
    """Make people, log all runs, give them the age they tell of."""
    arguments = _arguments()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.prod")
    django.setup()
    from demo import colleagues, usage
    from demo.alerts import choose_alerts, send_alerts
    from demo.automations import make_automations
    from demo.billing import make_billing
    from demo.destinations import make_destinations
    from demo.live import go_live
    from demo.people import NAMES, PASSWORD, TEAMS, make_people, require_free
    from demo.profiles import make_profiles

    require_free({*NAMES, *colleagues.NAMES, usage.LEFT[0]})
    servers = {name: Server(arguments.url, key) for name, key in make_people().items()}
    make_profiles()
    colleagues.make_colleagues()
    make_destinations()
    choose_alerts()
    plans = all_plans(arguments.only)
    began = time.monotonic()
    try:
        _log(plans, servers)
    except (OSError, RuntimeError) as error:
        raise SystemExit(f"\nThe server at {arguments.url} did not take a run: {error}") from error
    _age(plans)
    make_automations()
    send_alerts()
    usage.make_usage()
    make_billing()
    _say(f" in {time.monotonic() - began:.0f} s\n")
    _say(f"Sign in at {arguments.url} as ada, password “{PASSWORD}”; teams: {', '.join(TEAMS)}.\n")
    if arguments.live:
        go_live(servers["ada"], arguments.live)


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _log(plans: list[Plan], servers: dict[str, Server]) -> None:
    first = {(plan.team, plan.project): plan for plan in reversed(plans)}
    for plan in first.values():  # which makes the project
        plan.carry_out(servers[plan.author])
        text = DESCRIPTIONS[plan.project]
        servers[plan.author].ask(DESCRIBE, entity=plan.team, project=plan.project, text=text)
    rest = [plan for plan in plans if plan is not first[plan.team, plan.project]]
    with ThreadPoolExecutor(4) as pool:
        logged = pool.map(lambda plan: plan.carry_out(servers[plan.author]), rest)
        for done, _ in enumerate(logged, len(first) + 1):
            if done % 20 == 0 or done == len(plans):
                _say(f"\r{done} of {len(plans)} runs")


def _age(plans: list[Plan]) -> None:
    """Let runs have begun when they say: no client can log into the past, and a demo of one minute tells nothing."""
    from django.db import transaction
    from django.utils import timezone

    from runs.models import Pulse, Run, StateChange

    now = timezone.now()
    for plan in plans:
        begin = now - timedelta(seconds=plan.began_s_ago)
        end = min(begin + timedelta(seconds=plan.lasts_s), now)
        with transaction.atomic():
            run = Run.objects.locked().get(
                project__team__name=plan.team, project__name=plan.project, uid=plan.uid
            )
            run.created_at = run.started_at = begin
            if run.finished_at is not None:
                run.finished_at, run.active_before_s = end, (end - begin).total_seconds()
            else:
                run.active_since = begin
            run.save()
            if run.finished_at is not None:
                Pulse.objects.filter(run=run).update(heartbeat_at=end)
            changes = list(StateChange.objects.filter(run=run).order_by("pk"))
            for change, at in zip(changes, [begin, end], strict=False):
                StateChange.objects.filter(pk=change.pk).update(at=at, noticed_at=at)


if __name__ == "__main__":
    main()
