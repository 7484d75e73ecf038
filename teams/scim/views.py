"""The endpoints below ``/scim/v2/<organization>/``: keys only, answers and errors in SCIM's own shape."""

from collections.abc import Callable, Sequence
from functools import reduce
from operator import or_
from typing import Any

import orjson
from django.db import transaction
from django.http import HttpRequest, HttpResponse
from pydantic import ValidationError
from scim2_models import (
    Context,
    Error,
    ListResponse,
    PatchOp,
    ResponseParameters,
    SCIMException,
    SearchRequest,
)

from access.actor import Actor
from access.callers.credentials import actor_of_header
from access.callers.elevation import HEADER, elevated
from access.web.requests import address_of
from common.errors import DomainError, Invalid, NotFound
from common.formats.numbers import parse_int
from teams.access import OrganizationAction
from teams.scim import filters, groups, user_resources, users
from teams.scim.resources import CONFIG, MOST, POLICY, PROVIDER, Group, Person
from teams.teams.selectors import organization_named

_TYPE = "application/scim+json"
_MOST_BYTES = 1024 * 1024


class _Call:
    """One request: who asks, about which organization, and what it sent."""

    def __init__(self, request: HttpRequest, name: str) -> None:
        self.request, self.query = request, request.GET.dict()
        actor = actor_of_header(request.headers.get("Authorization", ""), address_of(request))
        what = f"{request.method} {request.path}"
        self.actor: Actor = elevated(actor, request.headers.get(HEADER, ""), what=what)
        self.organization = organization_named(self.actor, name, OrganizationAction.MANAGE_MEMBERS)
        self.base = request.build_absolute_uri(f"/scim/v2/{self.organization.name}")

    def body(self) -> Any:
        """Return the JSON object that was sent."""
        if len(self.request.body) > _MOST_BYTES:
            raise Invalid(f"A request has at most {_MOST_BYTES} bytes.")
        try:
            body = orjson.loads(self.request.body)
        except orjson.JSONDecodeError as error:
            raise Invalid(f"The request isn’t valid JSON: {error}.") from None
        if not isinstance(body, dict):
            raise Invalid("The request isn’t a JSON object.")
        try:
            return _plain(body)
        except RecursionError:
            raise Invalid("The JSON is nested too deep.") from None


def _plain(value: Any) -> Any:
    """Read booleans that were sent as texts, as Microsoft Entra does."""
    if isinstance(value, list):
        return [_plain(one) for one in value]
    if not isinstance(value, dict):
        return value
    names = {key.lower(): key for key in value}
    of_active = str(value.get(names.get("path", ""), "")).lower() == "active"
    booleans = {"active", "primary"} | ({"value"} if of_active else set())
    words = {"true": True, "false": False}
    return {
        key: words.get(one.lower(), one) if key.lower() in booleans and isinstance(one, str) else _plain(one)
        for key, one in value.items()
    }


def _answer(body: Any, status: int = 200) -> HttpResponse:
    return HttpResponse(orjson.dumps(body), content_type=_TYPE, status=status)


def _error(status: int, detail: str, scim_type: str = "") -> HttpResponse:
    error = Error(status=status, detail=detail, scim_type=scim_type or None)
    response = _answer(error.model_dump(), status)
    if status == 401:
        response["WWW-Authenticate"] = 'Bearer realm="Runyard SCIM"'
    return response


def _refused(error: Exception) -> HttpResponse:
    """Answer what was raised in SCIM's own shape."""
    if isinstance(error, ValidationError):
        first = Error.from_validation_errors(error)[0]
        return _error(first.status or 400, first.detail or "", first.scim_type or "")
    if isinstance(error, SCIMException):
        return _error(error.status, error.detail, error.scim_type)
    if isinstance(error, DomainError):
        kind = "invalidValue" if error.status == 400 else ""
        response = _error(error.status, error.message, kind)
        for name, value in error.headers.items():
            response[name] = value
        return response
    raise error


def serve(request: HttpRequest, entity: str, path: str) -> HttpResponse:
    """Serve every endpoint of an organization, each in one transaction."""
    try:
        with transaction.atomic(), POLICY:
            call = _Call(request, entity)
            name, _slash, key = path.strip("/").partition("/")
            endpoint = _ENDPOINTS.get((name, bool(key)), {}).get(request.method or "")
            if endpoint is None:
                known = any(known_name == name for known_name, _about_one in _ENDPOINTS)
                return _error(405 if known else 404, "Unknown SCIM endpoint or method.")
            answer: HttpResponse = endpoint(call, key)
            return answer
    except (SCIMException, ValidationError, DomainError) as error:
        return _refused(error)


def _listed(call: _Call, resources: Sequence[Any], total: int, start: int) -> dict[str, Any]:
    kinds: Any = reduce(or_, dict.fromkeys(type(one) for one in resources)) if resources else Person
    found = ListResponse[kinds](
        total_results=total, start_index=start, items_per_page=len(resources), resources=list(resources)
    )
    shown = _shown(call, kinds)
    return dict(found.model_dump(scim_ctx=Context.RESOURCE_QUERY_RESPONSE, response_parameters=shown))


def _shown(call: _Call, model: Any) -> "ResponseParameters[Any]":
    """Read which attributes the answer has."""
    chosen = {name: call.query[name] for name in ("attributes", "excludedAttributes") if call.query.get(name)}
    return ResponseParameters[model].model_validate(chosen)


def _page(
    call: _Call, rows: Any, columns: dict[str, filters.Column], show: Callable[[list[Any]], Any]
) -> HttpResponse:
    """Return a page of a list: filter, startIndex, count."""
    numbers = {name: call.query[name] for name in ("startIndex", "count") if call.query.get(name)}
    page: Any = SearchRequest.model_validate(numbers)
    if call.query.get("filter"):
        rows = rows.filter(filters.condition_of(call.query["filter"], columns)).distinct()
    start, count = page.start_index or 1, MOST if page.count is None else min(page.count, MOST)
    begin = min(start - 1, 10**9)
    found = list(rows.order_by("pk")[begin : begin + count]) if count else []
    return _answer(_listed(call, show(found), rows.count(), start))


def _searched(serve: Callable[[_Call, str], HttpResponse]) -> Callable[[_Call, str], HttpResponse]:
    """Return the endpoint that takes the query in a body (RFC 7644, 3.4.3)."""

    def search(call: _Call, key: str) -> HttpResponse:
        if key not in {"", ".search"}:
            return _error(405, "Nothing is posted to a resource.")
        items = call.body().items()
        call.query = {
            name: ",".join(map(str, value)) if isinstance(value, list) else str(value)
            for name, value in items
        }
        return serve(call, "")

    return search


def _everything(call: _Call, key: str) -> HttpResponse:
    """Search users and groups at once, the users first; a filter names what both have."""
    rows, teams = user_resources.people_of(call.organization), groups.groups_of(call.organization)
    if call.query.get("filter"):
        rows = rows.filter(filters.condition_of(call.query["filter"], user_resources.COLUMNS))
        teams = teams.filter(filters.condition_of(call.query["filter"], groups.COLUMNS)).distinct()
    found = [
        *user_resources.to_resources(call.organization, list(rows.order_by("pk")[:MOST]), call.base),
        *groups.to_resources(list(teams.order_by("pk")[:MOST]), call.base),
    ]
    return _answer(_listed(call, found, rows.count() + teams.count(), 1))


def _without(call: _Call, name: str) -> bool:
    """Whether an attribute that costs a query need not be read."""
    return name in call.query.get("excludedAttributes", "").lower()


def _person(call: _Call, key: str) -> Any:
    rows = user_resources.people_of(call.organization)
    row = rows.filter(pk=pk).first() if (pk := parse_int(key)) else None
    if row is None:
        raise NotFound(f"User “{key}” doesn’t exist in {call.organization}.")
    return row


def _show_person(call: _Call, row: Any) -> Any:
    return user_resources.to_resources(call.organization, [row], call.base)[0]


def _dumped(call: _Call, resource: Any, context: Context, status: int = 200) -> HttpResponse:
    response = _answer(
        resource.model_dump(scim_ctx=context, response_parameters=_shown(call, type(resource))), status
    )
    if resource.meta and resource.meta.location:
        response["Location"] = str(resource.meta.location)
    return response


def _people(call: _Call, key: str) -> HttpResponse:
    def show(rows: list[Any]) -> list[Any]:
        return user_resources.to_resources(
            call.organization, rows, call.base, groups=not _without(call, "groups")
        )

    return _page(call, user_resources.people_of(call.organization), user_resources.COLUMNS, show)


def _new_person(call: _Call, key: str) -> HttpResponse:
    resource = Person.model_validate(_completed(call.body()), scim_ctx=Context.RESOURCE_CREATION_REQUEST)
    user = users.create_person(actor=call.actor, organization=call.organization, resource=resource)
    return _after(call, str(user.pk), Context.RESOURCE_CREATION_RESPONSE, 201)


def _completed(body: dict[str, Any]) -> dict[str, Any]:
    """Add the address where providers leave it out because it is the name."""
    name = str(next((value for key, value in body.items() if key.lower() == "username"), ""))
    if not next((value for key, value in body.items() if key.lower() == "emails"), None) and "@" in name:
        body = {key: value for key, value in body.items() if key.lower() != "emails"}
        body["emails"] = [{"value": name, "primary": True}]
    return body


def _after(call: _Call, key: str, context: Context, status: int = 200) -> HttpResponse:
    return _dumped(call, _show_person(call, _person(call, key)), context, status)


def _one_person(call: _Call, key: str) -> HttpResponse:
    return _after(call, key, Context.RESOURCE_QUERY_RESPONSE)


def _keep_unsent(resource: Any, before: Any, *names: str) -> None:
    """Take from before what a client did not send: who stops mapping an attribute does not mean to empty it."""
    for name in names:
        if name not in resource.model_fields_set:
            setattr(resource, name, getattr(before, name))


def _put_person(call: _Call, key: str) -> HttpResponse:
    row = _person(call, key)
    before = _show_person(call, row)
    body = _completed(call.body())
    resource = Person.model_validate(body, scim_ctx=Context.RESOURCE_REPLACEMENT_REQUEST)
    _keep_unsent(resource, before, "external_id", "display_name", "name", "active")
    users.update_person(
        actor=call.actor,
        organization=call.organization,
        user=row,
        resource=resource,
        before=before,
        partly=False,
    )
    return _after(call, key, Context.RESOURCE_REPLACEMENT_RESPONSE)


def _patch_person(call: _Call, key: str) -> HttpResponse:
    row = _person(call, key)
    before, resource = _show_person(call, row), _show_person(call, row)
    patch = PatchOp[Person].model_validate(call.body(), scim_ctx=Context.RESOURCE_PATCH_REQUEST)
    if patch.patch(resource):
        users.check_address(resource, before)
        users.update_person(
            actor=call.actor,
            organization=call.organization,
            user=row,
            resource=resource,
            before=before,
            partly=True,
        )
    return _after(call, key, Context.RESOURCE_PATCH_RESPONSE)


def _delete_person(call: _Call, key: str) -> HttpResponse:
    users.delete_person(actor=call.actor, organization=call.organization, user=_person(call, key))
    return HttpResponse(status=204)


def _group(call: _Call, key: str) -> Any:
    rows = groups.groups_of(call.organization)
    row = rows.filter(pk=pk).first() if (pk := parse_int(key)) else None
    if row is None:
        raise NotFound(f"Group “{key}” doesn’t exist in {call.organization}.")
    return row


def _show_group(call: _Call, key: str) -> Any:
    return groups.to_resources([_group(call, key)], call.base, members=not _without(call, "members"))[0]


def _groups(call: _Call, key: str) -> HttpResponse:
    def show(rows: list[Any]) -> list[Any]:
        return groups.to_resources(rows, call.base, members=not _without(call, "members"))

    return _page(call, groups.groups_of(call.organization), groups.COLUMNS, show)


def _new_group(call: _Call, key: str) -> HttpResponse:
    resource = Group.model_validate(call.body(), scim_ctx=Context.RESOURCE_CREATION_REQUEST)
    team = groups.create_group(actor=call.actor, organization=call.organization, resource=resource)
    return _dumped(call, _show_group(call, str(team.pk)), Context.RESOURCE_CREATION_RESPONSE, 201)


def _one_group(call: _Call, key: str) -> HttpResponse:
    return _dumped(call, _show_group(call, key), Context.RESOURCE_QUERY_RESPONSE)


def _put_group(call: _Call, key: str) -> HttpResponse:
    team = _group(call, key)
    resource = Group.model_validate(call.body(), scim_ctx=Context.RESOURCE_REPLACEMENT_REQUEST)
    _keep_unsent(resource, groups.to_resources([team], call.base)[0], "external_id", "members")
    groups.update_group(actor=call.actor, team=team, resource=resource)
    return _dumped(call, _show_group(call, key), Context.RESOURCE_REPLACEMENT_RESPONSE)


def _patch_group(call: _Call, key: str) -> HttpResponse:
    team = _group(call, key)
    resource = groups.to_resources([team], call.base)[0]
    patch = PatchOp[Group].model_validate(call.body(), scim_ctx=Context.RESOURCE_PATCH_REQUEST)
    if patch.patch(resource):
        groups.update_group(actor=call.actor, team=team, resource=resource)
    return _dumped(call, _show_group(call, key), Context.RESOURCE_PATCH_RESPONSE)


def _delete_group(call: _Call, key: str) -> HttpResponse:
    groups.delete_group(actor=call.actor, team=_group(call, key))
    return HttpResponse(status=204)


def _config(call: _Call, key: str) -> HttpResponse:
    return _answer(CONFIG.model_dump(scim_ctx=Context.RESOURCE_QUERY_RESPONSE))


def _described(of: Callable[[], Sequence[Any]]) -> tuple[Callable[[_Call, str], HttpResponse], ...]:
    """Return the list and the single endpoint of what describes the service; it cannot be filtered (RFC 7644, 4)."""

    def every(call: _Call, key: str) -> HttpResponse:
        if call.query.get("filter"):
            return _error(403, "What describes the service cannot be filtered.")
        return _answer(_listed(call, of(), len(of()), 1))

    def one(call: _Call, key: str) -> HttpResponse:
        row = next((row for row in of() if str(row.id) == key), None)
        if row is None:
            raise NotFound(f"“{key}” doesn’t exist here.")
        return _answer(row.model_dump(scim_ctx=Context.RESOURCE_QUERY_RESPONSE))

    return every, one


_schemas, _schema = _described(lambda: PROVIDER.schemas)
_types, _type = _described(lambda: PROVIDER.resource_types)
_OF_USER = {"GET": _one_person, "PUT": _put_person, "PATCH": _patch_person, "DELETE": _delete_person}
_OF_GROUP = {"GET": _one_group, "PUT": _put_group, "PATCH": _patch_group, "DELETE": _delete_group}
_ENDPOINTS: dict[tuple[str, bool], dict[str, Callable[[_Call, str], HttpResponse]]] = {
    ("ServiceProviderConfig", False): {"GET": _config},
    ("Schemas", False): {"GET": _schemas},
    ("Schemas", True): {"GET": _schema},
    ("ResourceTypes", False): {"GET": _types},
    ("ResourceTypes", True): {"GET": _type},
    (".search", False): {"POST": _searched(_everything)},
    ("Users", False): {"GET": _people, "POST": _new_person},
    ("Users", True): {"POST": _searched(_people), **_OF_USER},
    ("Groups", False): {"GET": _groups, "POST": _new_group},
    ("Groups", True): {"POST": _searched(_groups), **_OF_GROUP},
}
