"""``POST /graphql``."""

import dataclasses
import json
from collections.abc import Sequence
from functools import partial
from typing import Any

import orjson
from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.http import HttpRequest, HttpResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from graphql import DocumentNode, ExecutionResult, GraphQLError, OperationType, execute, get_operation_ast

from access.actor import Actor, ActorKind
from access.callers.credentials import actor_of_header
from access.callers.elevation import HEADER, elevated
from access.limits.request_rates import spend_more, spend_request
from access.routes import Open, declare
from access.web.requests import address_of
from common.budgets.budget import budget_of, current
from common.budgets.memory import reserve_decoded
from common.database.replica.routing import from_replica
from common.errors import DomainError, Invalid
from common.formats.lenient_json import clean_tree, read_lenient
from common.formats.strict_json import strict
from common.telemetry.tracing import spans
from common.web.disconnects import disconnect_check
from common.web.request_size import body_too_large
from wandb_api.file_stream.agent_header import WRAPPER, wrapper_of
from wandb_api.graphql.context import Context, base_url_of
from wandb_api.graphql.cost_budget import REQUESTS_A_SECOND, Budget, ExecutionStopped
from wandb_api.graphql.errors import answer_to, body_of, status_of
from wandb_api.graphql.executor import MeteredExecutor
from wandb_api.graphql.request_log import RequestInfo, log_refusal, name_of
from wandb_api.schema import document_of, schema
from wandb_api.unsupported.fields import refusal_of, unknown_field

WRITER = "X-WANDB-CLIENT-ID"
"""The SDK sends it in shared mode only."""


def _reply(status: int, body: dict[str, Any]) -> HttpResponse:
    try:
        content = orjson.dumps(body)
    except TypeError:  # lone surrogates and integers beyond 64 bits
        content = json.dumps(strict(body)).encode()
    response = HttpResponse(content, status=status, content_type="application/json")
    if status == 401:
        response["WWW-Authenticate"] = 'Basic realm="Runyard"'
    return response


def actor_of(request: HttpRequest) -> Actor:
    """Return who holds the key, on whose behalf they log, and whether they requested operator rights.

    Raises:
        Unauthenticated: no key or one that does not hold.
    """
    actor = actor_of_header(request.headers.get("Authorization", ""), address_of(request))
    if actor.kind is ActorKind.SERVICE:
        named = request.headers.get("X-WANDB-USERNAME") or request.headers.get("X-WANDB-USER-EMAIL", "")
        return dataclasses.replace(actor, on_behalf_of=named)
    return actor


def _payload_of(request: HttpRequest) -> tuple[str, dict[str, Any], str | None]:
    try:
        reserve_decoded(request.body)
        body = read_lenient(request.body)
        text, variables, name = body["query"], body.get("variables") or {}, body.get("operationName")
    except RequestDataTooBig:
        raise body_too_large() from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise Invalid('The body must be JSON: {"query": …, "variables": …, "operationName": …}.') from None
    if not isinstance(text, str) or not isinstance(variables, dict):
        raise Invalid("`query` must be a string and `variables` an object.")
    return text, clean_tree(variables), name


def _executed(
    request: HttpRequest,
    actor: Actor,
    document: DocumentNode,
    variables: dict[str, Any],
    name: str | None,
    *,
    only_reads: bool,
) -> ExecutionResult:
    """Execute within the budget, and let what it cost count.

    Raises:
        Stopped: over the budget, or the client is gone.
    """
    budget = Budget(disconnect_check(request), caller=current().caller)
    budget.only_reads = only_reads
    wrapper, writer = wrapper_of(request.headers.get(WRAPPER, "")), request.headers.get(WRITER, "")[:64]
    try:
        with budget_of(budget):
            result = execute(
                schema(), document, context_value=Context(actor, base_url_of(request), budget, wrapper, writer),
                variable_values=variables, operation_name=name or None, executor_class=MeteredExecutor,
            )  # fmt: skip
            if only_reads and isinstance(result, ExecutionResult) and result.errors:
                budget.look()  # a statement that it ended looks like a database that did not answer
    finally:
        spend_more(
            actor, what="graphql", limit=settings.GRAPHQL_RATE, amount=int(budget.seconds * REQUESTS_A_SECOND)
        )
    if not isinstance(result, ExecutionResult):
        raise TypeError("all resolvers are synchronous")
    return result


@declare(Open.ANYONE)
@csrf_exempt
@require_POST
def graphql(request: HttpRequest) -> HttpResponse:
    """Execute one operation for the holder of the API key; each root field checks its own action."""
    info = RequestInfo()
    try:
        reply = _answer(request, info)
    except DomainError as error:
        reply = _refuse(error, info)
    except ExecutionStopped as stopped:
        reply = HttpResponse(status=499) if stopped.error is None else _refuse(stopped.error, info)
    if reply.status_code >= 400 or info.reason:
        log_refusal(request, reply, info)
    return reply


def _refuse(error: DomainError, info: RequestInfo) -> HttpResponse:
    info.reason = error.code
    reply = _reply(status_of(error), body_of(error.message, error.code))
    for name, value in error.headers.items():
        reply[name] = value
    return reply


def _answer(request: HttpRequest, info: RequestInfo) -> HttpResponse:
    actor = info.actor = actor_of(request)
    limit = settings.GRAPHQL_RATE
    spend_request(request, actor, what="graphql", limit=limit, setting="RUNYARD_GRAPHQL_RATE")
    text, variables, name = _payload_of(request)
    document, errors = document_of(text)
    operation = get_operation_ast(document, name or None) if document else None
    info.operation = name_of(operation)
    spans.describe(f"graphql {info.operation}", {"graphql.operation.name": info.operation})
    if document is None or errors:
        return _refuse_document(errors, info)
    actor = elevated(actor, request.headers.get(HEADER, ""), what=name or text)
    is_query = operation is not None and operation.operation is OperationType.QUERY
    answer = partial(_executed, request, actor, document, variables, name, only_reads=is_query)
    result = from_replica(answer) if is_query else answer()
    if result.errors:
        status, entries = answer_to(result.errors, is_query=is_query)
        info.reason = entries[0].get("extensions", {}).get("code", "")
        return _reply(status, {"data": result.data, "errors": entries})
    return _reply(200, {"data": result.data})


def _refuse_document(errors: Sequence[GraphQLError], info: RequestInfo) -> HttpResponse:
    refused = refusal_of(errors)
    if refused:
        info.reason = f"not supported: {refused.name.lower()}"
        return _reply(400, body_of(refused, "not_supported"))
    info.reason = next(filter(None, map(unknown_field, errors)), "not on the schema")
    return _reply(400, {"errors": [{"message": error.message} for error in errors]})
