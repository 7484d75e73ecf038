"""Sends the request of one cell and reads the class of its answer."""

import json
from collections.abc import Callable, Iterator
from hashlib import md5
from typing import Any

import httpx
from asgiref.sync import async_to_sync
from asgiref.testing import ApplicationCommunicator
from django.conf import settings
from django.db import transaction
from django.http import HttpResponseBase
from django.test import Client
from django.urls import get_resolver, reverse
from django.urls.resolvers import URLResolver
from starlette.routing import Mount, Route

from access.actions import Preset
from access.web.sockets import NOT_VISIBLE
from artifacts.models import Version
from config.asgi import application, lean_routes
from ingest.api import stream
from storage.signed_urls import tickets
from tests.factories import add_run_file
from tests.matrix.cases import Answer, Case, Over, Thing
from tests.matrix.world import World
from tests.waiting import PATIENCE_S
from wandb_api.file_stream import endpoint
from wandb_api.graphql.global_ids import to_id

HTML = {"Accept": "text/html"}
"""As a browser asks."""


def url_patterns(resolver: URLResolver | None = None, space: str = "", before: str = "/") -> Iterator[Any]:
    """Yield (name or "", whole pattern, view) of every URL pattern."""
    for entry in (resolver or get_resolver()).url_patterns:
        pattern = before + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from url_patterns(
                entry, f"{space}{entry.namespace}:" if entry.namespace else space, pattern
            )
        else:
            yield space + (entry.name or ""), pattern, entry.callback


def names_of(case: Case, thing: Thing) -> dict[str, Any]:  # noqa: C901, PLR0912 - one case for each kind of thing
    """Return what a URL or document names the thing by."""
    row = thing.row
    match case.over:
        case Over.ENTITY | Over.ORGANIZATION:
            names = {"entity": row.name}
        case Over.PROJECT:
            names = {"entity": row.team.name, "project": row.name}
        case Over.RUN:
            names = {"entity": row.project.team.name, "project": row.project.name, "uid": row.uid}
        case Over.SWEEP:
            names = {
                "entity": row.project.team.name, "project": row.project.name, "sweep": row.uid,
                "uid": row.uid, "pk": row.pk,
            }  # fmt: skip
        case Over.CHART:
            names = {"path": f"{row.team.name}/{row.name}"}
        case Over.SERVICE | Over.ORGANIZATION_SERVICE:
            names = {"entity": (row.team or row.organization).name, "pk": row.pk}
        case Over.INVOICE | Over.PAYMENT_METHOD:
            named = {"number": row.number} if case.over is Over.INVOICE else {"pk": row.pk}
            names = {"entity": row.subscription.organization.name} | named
        case Over.AUTOMATION | Over.VERSION | Over.DRAFT | Over.COLLECTION | Over.PORTFOLIO:
            names = {"entity": row.project.team.name, "project": row.project.name, "pk": row.pk}
        case Over.LINKED:
            names = {
                "entity": row.project.team.name, "project": row.project.name, "type": row.type.name, "name": row.name,
            }  # fmt: skip
        case Over.DESTINATION | Over.SECRET | Over.TEAM_AUTOMATION:
            names = {"entity": row.team.name, "pk": row.pk}
        case Over.REGISTRY:
            member = row.members.get(role="viewer").user.username
            names = {"entity": row.project.team.name, "name": row.name, "member": member}
        case Over.INVITATION:
            names = {"token": f"to-{row.team.name}"}
        case _:
            names = {} if row is None else {"pk": row.pk}
    return names


def _refused(status: int, body: str) -> Answer | None:
    answer = {401: Answer.UNAUTHENTICATED, 403: Answer.FORBIDDEN, 404: Answer.HIDDEN, 410: Answer.HIDDEN}.get(
        status
    )
    is_mistake = status in {409, 415, 422}  # who may send it hears what is wrong with it, or in its way
    if answer is None and not (200 <= status < 400 or is_mistake):
        raise AssertionError(f"status {status}: {body[:400]}")
    return answer


def answer_of_page(response: HttpResponseBase) -> Answer:
    """Read a web page's answer."""
    body = "" if response.streaming else bytes(getattr(response, "content", b"")).decode(errors="replace")
    if response.headers.get("Content-Type", "").startswith("text/html"):
        assert "<script>evil" not in body, "what somebody has written is markup of the page"
    location = str(response.headers.get("Location", ""))
    if response.status_code == 302 and location.startswith(reverse(settings.LOGIN_URL)):
        return Answer.LOGIN
    return _refused(response.status_code, body) or Answer.OK


def undone(ask: Callable[[], Answer]) -> Answer:
    """Ask inside a transaction that is rolled back."""
    with transaction.atomic():
        answer = ask()
        transaction.set_rollback(True)
    return answer


def lean_endpoints() -> dict[str, Any]:
    """Return path to endpoint of the routes that never reach Django."""
    found: dict[str, Any] = {
        "/files/{entity}/{project}/{run}/file_stream": endpoint.file_stream,
        stream.ADDRESS: stream.stream,
    }
    for route in lean_routes:
        assert isinstance(route, Route | Mount)
        found[route.path] = route.app if isinstance(route, Mount) else route.endpoint
    return found


def page_path(route: str, case: Case, thing: Thing) -> str:
    """Return the path of a web page."""
    names = names_of(case, thing)
    names.pop("member", None)  # for bodies of REST
    if case.over is Over.SWEEP:
        names = {name: names[name] for name in ("entity", "project", "uid")}
    given = {
        key: thing.row.project.name if value == "$project" else value for key, value in case.args.items()
    }
    return route if route.startswith("/") else reverse(route, kwargs=names | given)


def ask_page(client: Client, path: str, method: str = "GET") -> Answer:
    """Ask for a web page as a browser does."""
    return undone(lambda: answer_of_page(client.generic(method, path, headers=HTML)))


def web_answer(answer: Answer, case: Case, actor: str) -> Answer:
    """Dress what is expected: who is not signed in is sent to do so instead of hearing that nothing is there."""
    if answer is Answer.HIDDEN and actor == "anonymous" and case.method == "GET" and case.answer is None:
        return Answer.LOGIN
    return answer


def ask_rest(
    path: str, case: Case, thing: Thing, headers: dict[str, str], client: Client | None = None
) -> Answer:
    """Ask the REST API by key, or with a session by its client."""

    def ask() -> Answer:
        body = json.dumps(case.args) if case.args and case.method != "GET" else ""
        for name, value in names_of(case, thing).items():
            body = body.replace(f'"${name}"', json.dumps(value))
        response = (client or Client()).generic(
            case.method, path, body, headers=headers, content_type="application/json"
        )
        text = "" if response.streaming else response.content.decode(errors="replace")
        refused = _refused(response.status_code, text)
        if refused is None and case.listed:
            shown = {row["id"] for row in json.loads(text)["results"]}
            return Answer.OK if thing.row.pk in shown else Answer.HIDDEN
        return refused or Answer.OK

    return undone(ask)


def rest_answer(answer: Answer, actor: str, *, only_signed_in: bool) -> Answer:
    """Dress what is expected where nothing is public, or a change is asked for: that no one is known comes first."""
    return Answer.UNAUTHENTICATED if actor == "anonymous" and only_signed_in else answer


def _at(data: Any, path: str) -> Any:
    for part in path.split("."):
        data = None if data is None else data[part]
    return data


def _ids(case: Case, thing: Thing) -> dict[str, str]:
    row = thing.row
    if case.over is Over.RUN:
        version = Version.objects.live().filter(collection__project=row.project_id).first()
        return {
            "id": to_id("Run", row.pk),
            "file": to_id("RunFile", row.files.get(name="notes.txt").pk),
            "version": to_id("Artifact", version.pk) if version else "",
        }
    if case.over is Over.PROJECT:
        automation = row.automations.first()
        found = {"automation": to_id("Trigger", automation.pk)} if automation else {}
        return found | {"id": to_id("Project", row.pk)}
    if case.over is Over.ENTITY:
        member = row.memberships.exclude(role__preset=Preset.ADMIN).filter(user__kind="person").first()
        ids = {"member": to_id("Member", member.pk)} if member else {}
        invitation = row.invitations.first()
        return ids | ({"invitation": to_id("Invitation", invitation.pk)} if invitation else {})
    if case.over in {Over.VERSION, Over.DRAFT, Over.COLLECTION, Over.PORTFOLIO, Over.LINKED}:
        return _ids_of_artifact(case, row)
    if case.over is Over.REGISTRY:
        user, team = row.members.get(role="viewer").user_id, row.project.team_id
        return {
            "registry": to_id("Project", row.project_id), "user": to_id("User", user), "team": to_id("Entity", team),
        }  # fmt: skip
    if case.over is Over.SWEEP:
        ids = {"id": to_id("Sweep", row.pk), "agent": to_id("SweepAgent", row.agents.get().pk)}
    else:
        ids = {"id": to_id("ApiKey", row.pk)} if case.over is Over.KEY else {}
    return ids


def _ids_of_artifact(case: Case, row: Any) -> dict[str, str]:
    if case.over in {Over.COLLECTION, Over.PORTFOLIO, Over.LINKED}:
        version = to_id("Artifact", row.memberships.first().version_id)
        return {"id": to_id("ArtifactCollection", row.pk), "name": row.name, "version": version}
    ids = {"id": to_id("Artifact", row.pk), "name": row.collection.name}
    if case.over is Over.DRAFT:
        ids |= {
            "manifest": to_id("ArtifactManifest", row.manifests.get().pk),
            "upload": row.parts_uploads.get().key,
        }
    return ids


def variables_of(case: Case, thing: Thing) -> dict[str, Any]:
    """Return a document's variables."""
    names = names_of(case, thing) | _ids(case, thing) | case.args
    wanted = names | {"run": names.pop("uid")} if "uid" in names else names
    return {name: value for name, value in wanted.items() if f"${name}:" in case.document}


def post_graphql(document: str, variables: dict[str, Any], headers: dict[str, str]) -> Any:
    """Send one GraphQL request."""
    payload = json.dumps({"query": document, "variables": variables})
    return Client().post("/graphql", payload, content_type="application/json", headers=headers)


def ask_graphql(case: Case, thing: Thing, headers: dict[str, str]) -> Answer:
    """Ask one root field."""

    def ask() -> Answer:
        response = post_graphql(case.document, variables_of(case, thing), headers)
        body = response.json()
        is_hidden = any(
            one.get("extensions", {}).get("code") == "not_found" for one in body.get("errors", ())
        )
        refused = Answer.HIDDEN if is_hidden else _refused(response.status_code, str(body))
        if refused is None and body.get("errors"):
            raise AssertionError(f"errors with status {response.status_code}: {body}")
        found = None if refused else _at(body["data"], case.found_at)
        if case.listed and found is not None:
            shown = {edge["node"]["id"] for edge in found["edges"]}
            found = found if to_id("Project", thing.row.pk) in shown else None
        return refused or (Answer.HIDDEN if found is None else Answer.OK)

    return undone(ask)


def graphql_answer(answer: Answer, actor: str) -> Answer:
    """Dress what is expected: without a key nothing is answered at all."""
    return Answer.UNAUTHENTICATED if actor == "anonymous" else answer


@async_to_sync
async def ask_socket(path: str, client: Client) -> Answer:
    """Open a WebSocket with the session of a client."""
    cookie = client.cookies.get(settings.SESSION_COOKIE_NAME)
    headers = [(b"cookie", f"{cookie.key}={cookie.value}".encode())] if cookie else []
    scope = {
        "type": "websocket",
        "path": f"/{path}",
        "query_string": b"",
        "headers": headers,
        "subprotocols": [],
    }
    socket = ApplicationCommunicator(application, scope)
    await socket.send_input({"type": "websocket.connect"})
    message = await socket.receive_output(timeout=PATIENCE_S)
    assert message["type"] == "websocket.accept", (
        "an accepted socket is what tells the browser the close code"
    )
    if await socket.receive_nothing(timeout=0.02, interval=0.005):
        await socket.send_input({"type": "websocket.disconnect", "code": 1000})
        await socket.wait()
        return Answer.OK
    message = await socket.receive_output(timeout=PATIENCE_S)
    assert (message["type"], message["code"]) == ("websocket.close", NOT_VISIBLE)
    socket.stop()
    return Answer.HIDDEN


def lean_path(route: str, case: Case, thing: Thing, world: World) -> str:
    """Return the path of a lean endpoint; the token of a storage route is valid, or forged."""
    if case.over is Over.RUN:
        names = names_of(case, thing)
        return route.format(**names, run=names["uid"], project_name=names["project"])
    if "path" in case.args:
        settings.STATIC_ROOT.mkdir(exist_ok=True)
        return f"{route}/{case.args['path']}"
    if case.args.get("token") == "put":
        return tickets.put_path("run-file", r=world.things[Over.RUN][0].row.pk, n="uploaded.txt")
    if case.args.get("token") == "part":
        run, digest = world.things[Over.RUN][0].row.pk, md5(_body_of(case), usedforsecurity=False).hexdigest()
        return tickets.part_path("run-file", "0123456789abcdef" * 2, 1, digest, r=run, n="in-parts.bin")
    if case.args.get("token") == "get":
        file = add_run_file(world.things[Over.RUN][0].row, "shown.txt")
        named = tickets.get_path(file.blob, name=file.name, content_type="text/plain")
        return named if "{name}" in route else named.rpartition("/")[0]
    return route.format(**case.args)


@async_to_sync
async def lean_reply(method: str, path: str, headers: dict[str, str], body: bytes) -> httpx.Response:
    """Send a request to a lean endpoint of the server's own ASGI application."""
    transport = httpx.ASGITransport(application)
    async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
        return await client.request(method, path, headers=headers, content=body)


def send_lean(method: str, path: str, headers: dict[str, str], body: bytes = b"{}") -> tuple[int, str]:
    """As `lean_reply`; return status and text."""
    reply = lean_reply(method, path, headers, b"" if method == "GET" else body)
    return reply.status_code, reply.text


def _body_of(case: Case) -> bytes:
    return json.dumps(case.args).encode()


def ask_lean(case: Case, path: str, headers: dict[str, str]) -> Answer:
    """Ask a lean endpoint and read the class of its answer."""
    body = _body_of(case)
    return _refused(*send_lean(case.method, path, headers, body)) or Answer.OK
