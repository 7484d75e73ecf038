"""What works here and what does not: collectors, the spool, the server, the key, where runs go, the clock."""

from __future__ import annotations

import contextlib
import email.utils
import shutil
import tempfile
import time
import urllib.parse
from typing import Any, NamedTuple

from runyard_agent.collectors import all_collectors
from runyard_agent.sampler import Sampler
from runyard_agent.server import Refused, Server, Unreachable, proxy_of
from runyard_agent.settings import Settings, SettingsError
from runyard_agent.spool import root_of, spools_in
from runyard_agent.words import with_unit

_CLOCK_S = 5.0
"""A clock this far off draws a run beside the others."""
_LONGEST_NAME, _NOT_IN_NAMES = 128, "/\\#?%:"
"""Of projects, as the server has it; it can't be asked without creating one."""
_MIB = 1024**2
_HELP = {
    "CERTIFICATE_VERIFY_FAILED": "its certificate is not trusted here; let SSL_CERT_FILE name its authority's",
    "WRONG_VERSION_NUMBER": "the server there does not use TLS; should url begin with http://?",
    "record layer failure": "the server there does not use TLS; should url begin with http://?",
    "Name or service not known": "this host's DNS does not know the name",
    "Connection refused": "nothing listens there, or a firewall refuses the connection",
    "timed out": "a firewall may drop it, or a proxy is needed (HTTPS_PROXY)",
}
"""What usually helps, by words of the error."""


class Finding(NamedTuple):
    """What was found of one thing; the state is ``works``, ``absent``, ``not set`` or ``problem``."""

    name: str
    state: str
    text: str


def examine(settings: Settings) -> list[Finding]:
    """Try all collectors once, the spool, and the server."""
    return [*_collectors(settings), _spool(settings), *_server(settings)]


def _collectors(settings: Settings) -> list[Finding]:
    sampler = Sampler(
        all_collectors(settings), interval_s=settings.interval, patience_s=settings.tool_timeout
    )
    try:
        sampler.sample()
        facts = sampler.facts()
        findings = []
        for lane in sampler.lanes:
            state = {"failing": "problem", "starting": "problem"}.get(lane.state, lane.state)
            text = lane.reason or "; ".join(filter(None, [_seen(lane.facts), f"{lane.value_count} values"]))
            findings.append(Finding(lane.collector.name, state, text))
    finally:
        sampler.close()
    if facts.get("gpu_process_match") == "visible_devices":
        hint = "taken from CUDA_VISIBLE_DEVICES in this container; mount the host's /proc and set host_proc to be exact"
        findings.append(Finding("gpu.process", "works", hint))
    return findings


def _seen(facts: dict[str, object]) -> str:
    """Return what a collector found, in a few words."""
    if "gpu" in facts:
        return f"{facts.get('gpu_count', 1)} × {facts['gpu']}"
    if isinstance(tpu := facts.get("tpu"), dict):
        return f"{tpu['count']} × TPU {tpu['name']}"
    if "cpu_count_logical" in facts:
        limit = f", limited to {facts['cpu_limit']:g}" if "cpu_limit" in facts else ""
        return f"{facts['cpu_count']} cores, {facts['cpu_count_logical']} threads{limit}"
    return ""


def _spool(settings: Settings) -> Finding:
    """Try whether runs can be recorded, and how much room there is."""
    root = root_of(settings)
    try:
        root.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=root) as file:
            file.write(b"runyard")
        free = shutil.disk_usage(root).free
    except OSError as error:
        return Finding(
            "spool",
            "problem",
            f"{root} can't be written: {error.strerror}; set spool_dir to a folder that can",
        )
    room = f"{root}, {with_unit(free, 'bytes')} free"
    left = len(spools_in(root))
    waiting = f"; runs there: {left}, `runyard-agent sync` sends the rest" if left else ""
    if free < settings.spool_max_mb * _MIB:
        return Finding(
            "spool", "problem", f"{room}, less than spool_max_mb ({settings.spool_max_mb:g} MiB){waiting}"
        )
    return Finding("spool", "works", room + waiting)


def _server(settings: Settings) -> list[Finding]:
    if not settings.url:
        return [Finding("server", "not set", "set url (RUNYARD_URL) to check server, key and clock")]
    try:
        server = Server(settings if settings.api_key else settings.replaced(api_key="none"))
    except SettingsError as error:
        return [Finding("server", "problem", str(error))]
    with contextlib.closing(server):
        try:
            return _answers(server, settings)
        except Unreachable as error:
            return [Finding("server", "problem", plainly(error.message)), *_proxy(settings)]


def _answers(server: Server, settings: Settings) -> list[Finding]:
    """Return what the server says.

    Raises:
        Unreachable: it says nothing.
    """
    asked = time.time()
    refused = me = None
    try:
        me = server.who()
    except Refused as error:
        refused = error
    answered = time.time()
    took = f"{server.url} ({settings.origin('url')}), in {(answered - asked) * 1000:.0f} ms"
    return [
        Finding("server", "works", took),
        *_proxy(settings),
        _key(settings, me, refused),
        *_clock(server.date, (asked + answered) / 2),
        *([_place(server, settings, me)] if me and settings.api_key else []),
    ]


def plainly(message: str) -> str:
    """Return why a server can't be asked, with what usually helps."""
    for sign, help_ in _HELP.items():
        if sign in message:
            return f"{message}; {help_}"
    return message


def _proxy(settings: Settings) -> list[Finding]:
    """Tell through what the server is asked, without the proxy's password."""
    proxy = proxy_of(settings.url)
    if proxy is None:
        return []
    parts = urllib.parse.urlsplit(proxy)
    shown = f"{parts.scheme}://{parts.hostname or ''}" + (f":{parts.port}" if parts.port else "")
    return [
        Finding("proxy", "works", f"the server is asked through {shown}; NO_PROXY names hosts that are not")
    ]


def _key(settings: Settings, me: dict[str, Any] | None, refused: Refused | None) -> Finding:
    if not settings.api_key:
        return Finding(
            "key", "not set", "set api_key (RUNYARD_API_KEY), or store a key with `runyard-agent login`"
        )
    origin = settings.origin("api_key")
    if me is None:
        return Finding("key", "problem", f"the server refuses this key ({origin}): {refused}")
    return Finding("key", "works", f"of {me.get('username')} ({origin})")


def _place(server: Server, settings: Settings, me: dict[str, Any]) -> Finding:
    """Tell whether runs can be logged where the settings say, without creating anything there."""
    entity, project = settings.entity or me.get("default_entity") or "", settings.project
    path = f"{entity}/{project}"
    known = {name: settings.origin(name) for name in ("entity", "project")}
    origins = ", ".join(f"{name} by {origin}" for name, origin in known.items() if origin != "default")
    where = f"{path} ({origins})" if origins else path
    if not entity:
        return _nowhere("this key has no default entity", me)
    if len(project) > _LONGEST_NAME or any(
        sign in _NOT_IN_NAMES or not sign.isprintable() for sign in project
    ):
        rule = f"a name has at most {_LONGEST_NAME} characters, and none of {_NOT_IN_NAMES}"
        return Finding(
            "runs", "problem", f"{project!r} ({known['project']}) is not a valid project name: {rule}"
        )
    try:
        exists = server.get("projects/", {"entity": entity, "name": project})["results"]
        asked = ("run.log", path) if exists else ("project.create", entity)
        key = (me.get("key") or {}).get("prefix", "")
        told = server.get("explain/", {"action": asked[0], "on": asked[1], "key": key})
    except (Refused, Unreachable) as error:
        if not isinstance(error, Refused) or error.status != 404:
            return Finding("runs", "problem", f"can't determine whether {where} accepts runs: {error}")
        return _nowhere(
            f"the entity {entity!r} ({known['entity']}) does not exist, or this key has no access to it", me
        )
    if not told["allowed"]:
        return _nowhere(f"this key can't log to {where}", me)
    return Finding("runs", "works", f"go to {where}{'' if exists else ', which will be created'}")


def _nowhere(why: str, me: dict[str, Any]) -> Finding:
    mine = ", ".join(me.get("entities") or ()) or "none"
    return Finding("runs", "problem", f"{why}; it can log to: {mine}; set entity (RUNYARD_ENTITY) to one")


def _clock(date: str | None, here: float) -> list[Finding]:
    """Compare with the server's Date header, which counts whole seconds."""
    parsed = email.utils.parsedate_to_datetime(date) if date else None
    if parsed is None:
        return []
    off = here - parsed.timestamp() - 0.5
    if abs(off) < _CLOCK_S:
        return [Finding("clock", "works", "agrees with the server's")]
    way = "ahead of" if off > 0 else "behind"
    return [
        Finding("clock", "problem", f"this host's is {abs(off):.0f} s {way} the server's; see that NTP runs")
    ]
