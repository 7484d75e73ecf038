"""The page of a team's machines, and those of one run."""

from collections.abc import Callable
from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils.translation import gettext as _
from django.utils.translation import pgettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from access.routes import declare
from access.web.requests import actor_of
from metrics.hardware.hosts import cluster_of
from metrics.hardware.machines import Host
from metrics.hardware.run_hardware import nodes_of
from runs.access import RunAction
from runs.selectors import get_team
from runs.views.run import run_of


@dataclass(frozen=True, slots=True)
class HostFilter:
    """Which machines the page lists, in which order."""

    text: str
    sort: str
    show: str

    @classmethod
    def of(cls, request: HttpRequest) -> "HostFilter":
        """Read it from the address."""
        sort, show = request.GET.get("sort", ""), request.GET.get("show", "")
        return cls(
            request.GET.get("q", "").strip(),
            sort if sort in _ORDERS else "busy",
            show if show in _SHOWN else "",
        )

    @property
    def folds_offline(self) -> bool:
        """Whether machines on which nothing runs take one row together: where nobody looks for them."""
        return not self.text and not self.show

    def of_hosts(self, hosts: list[Host]) -> list[Host]:
        """Return those that have every word, in the order wanted; where nothing runs any more, they come last."""
        words = self.text.lower().split()
        found = [
            host for host in hosts if _SHOWN[self.show](host) and all(word in host.words for word in words)
        ]
        return sorted(found, key=lambda host: (not host.is_live, *_ORDERS[self.sort](host)))


def _by_name(host: Host) -> tuple[object, ...]:
    return (host.name,)


def _busiest(host: Host) -> tuple[object, ...]:
    return (-host.busy, -sum(gpu.use_percent or 0 for gpu in host.gpus), host.name)


def _most_idle(host: Host) -> tuple[object, ...]:
    return (-host.count("idle"), host.name)


def _freshest(host: Host) -> tuple[object, ...]:
    return (-(host.sampled_at or 0), -(host.seen_at.timestamp() if host.seen_at else 0), host.name)


_ORDERS = {"name": _by_name, "busy": _busiest, "idle": _most_idle, "sample": _freshest}


_SHOWN: dict[str, Callable[[Host], bool]] = {
    "": lambda _host: True,
    "busy": lambda host: host.is_live and host.busy > 0,
    "idle": lambda host: host.is_live and host.busy == 0,
    "offline": lambda host: not host.is_live,
}


@declare(RunAction.VIEW)
@never_cache
@require_GET
def hosts(request: HttpRequest, entity: str) -> HttpResponse:
    """List the machines on which runs of the entity run, or ran within a day, with their GPUs as they are now."""
    actor = actor_of(request)
    team = get_team(actor, entity)
    wanted = HostFilter.of(request)
    cluster = cluster_of(actor, team)
    found = wanted.of_hosts(cluster.hosts)
    is_folded = wanted.folds_offline and any(host.is_live for host in found)
    context = {
        "team": team,
        "cluster": cluster,
        "hosts": [host for host in found if host.is_live] if is_folded else found,
        "offline": [host for host in found if not host.is_live] if is_folded else [],
        "wanted": wanted,
        "choices": {
            "": _("All"),
            "busy": pgettext("GPU", "Busy"),
            "idle": pgettext("GPU", "Idle"),
            "offline": _("Offline"),
        },
        "orders": {
            "busy": _("Busiest first"),
            "idle": _("Least busy first"),
            "name": _("Name"),
            "sample": _("Newest sample"),
        },
    }
    name = "metrics/hosts.html"
    return render(request, f"{name}#list" if request.headers.get("HX-Request") else name, context)


@declare(RunAction.VIEW)
@never_cache
@require_GET
def run_hardware(request: HttpRequest, **names: str) -> HttpResponse:
    """Return the machines of a run and how much of them it used, for its overview."""
    run = run_of(request, names)
    return render(request, "metrics/run_hardware.html", {"run": run, "nodes": nodes_of(run)})
