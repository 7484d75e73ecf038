"""``runyard demo``, ``make demo``: fill the running server; ``--live 10`` lets three runs log for ten more minutes."""

import argparse
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial

import django

from demo.plans import Plan
from demo.progress import Progress
from demo.projects import DESCRIPTIONS, all_plans
from demo.wire import DESCRIBE, Server


def _arguments(given: list[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="runyard demo", description=__doc__)
    parser.add_argument("--url", help="where the server answers; else as RUNYARD_URL and RUNYARD_PORT say")
    parser.add_argument(
        "--only", nargs="+", choices=list(DESCRIPTIONS), default=list(DESCRIPTIONS), help="projects"
    )
    parser.add_argument(
        "--live", type=float, default=0, metavar="MINUTES", help="how long three more runs log"
    )
    return parser.parse_args(given)


def main(given: list[str]) -> None:
    """Make people, log all runs, give them the age they tell of; go on where an earlier try failed."""
    arguments = _arguments(given)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.prod")
    django.setup()
    from django.conf import settings

    from config.env import HOME
    from demo import colleagues, usage
    from demo.people import NAMES, PASSWORD, TEAMS, require_free_names
    from demo.progress import END, Progress

    url = arguments.url or settings.BASE_URL
    progress = Progress(HOME / "demo.json")
    require_free_names({*NAMES, *colleagues.NAMES, usage.LEFT[0]}, progress)
    began = time.monotonic()
    if progress.has(END):
        _say("The demo is here already. ")
    else:
        _fill(url, arguments.only, progress)
        progress.add(END)
        _say(f" in {time.monotonic() - began:.0f} s\n")
    _say(f"Sign in at {url} as ada, password “{PASSWORD}”; teams: {', '.join(TEAMS)}.\n")
    if arguments.live:
        from demo.live import go_live

        go_live(_servers(url)["ada"], arguments.live)


def _servers(url: str) -> dict[str, Server]:
    from demo.people import make_keys

    return {name: Server(url, key) for name, key in make_keys().items()}


def _fill(url: str, projects: list[str], progress: Progress) -> None:
    from demo import (
        alerts,
        artifacts,
        automations,
        billing,
        colleagues,
        destinations,
        people,
        profiles,
        registries,
        searches,
        usage,
    )

    progress.do(people.PEOPLE_STEP, people.make_people)
    progress.do("profiles", profiles.make_profiles)
    progress.do("colleagues", colleagues.make_colleagues)
    progress.do("destinations", destinations.make_destinations)
    progress.do("alerts", alerts.choose_alerts)
    plans = all_plans(projects)
    try:
        _log(plans, _servers(url), progress)
    except (OSError, RuntimeError) as error:
        raise SystemExit(
            f"\nThe server did not take a run: {error}\nIs it running? The same command goes on here."
        ) from error
    progress.do("ages", partial(_age, plans))
    progress.do("searches", searches.make_searches)
    progress.do("artifacts", artifacts.make_artifacts)
    progress.do("automations", automations.make_automations)
    progress.do("registries", registries.make_registries)
    progress.do("alerts sent", alerts.send_alerts)
    progress.do("usage", usage.make_usage)
    progress.do("billing", billing.make_billing)


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _log(plans: list[Plan], servers: dict[str, Server], progress: Progress) -> None:
    first = {(plan.team, plan.project): plan for plan in reversed(plans)}

    def carry_out(plan: Plan) -> str:
        if not progress.has(plan.path):
            plan.carry_out(servers[plan.author])
        return plan.path

    for plan in first.values():  # which makes the project
        progress.add(carry_out(plan))
        text = DESCRIPTIONS[plan.project]
        servers[plan.author].ask(DESCRIBE, entity=plan.team, project=plan.project, text=text)
    rest = [plan for plan in plans if plan is not first[plan.team, plan.project]]
    with ThreadPoolExecutor(4) as pool:
        for done, path in enumerate(pool.map(carry_out, rest), len(first) + 1):
            progress.add(path)
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
    main(sys.argv[1:])
