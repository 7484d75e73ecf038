"""The log line of a refused request: which operation it was, and whose. Django's says the path alone."""

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.utils.log import log_response
from graphql import FieldNode, OperationDefinitionNode

from access.actor import ANONYMOUS, Actor
from accounts.models import ApiKey

_LONGEST = 120
"""Of what clients wrote; more makes no line of a log clearer."""


@dataclass(slots=True)
class RequestInfo:
    """What is known of a request so far."""

    actor: Actor = ANONYMOUS
    operation: str = ""
    reason: str = ""
    """Why it is refused: a code, never the message, which may repeat what a client sent."""


def name_of(operation: OperationDefinitionNode | None) -> str:
    """Return what an operation is called; without a name, by its root fields."""
    if operation is None:
        return ""
    if operation.name:
        return operation.name.value[:_LONGEST]
    fields = [one.name.value for one in operation.selection_set.selections if isinstance(one, FieldNode)]
    return f"{{{' '.join(fields)}}}"[:_LONGEST]


def log_refusal(request: HttpRequest, reply: HttpResponse, info: RequestInfo) -> None:
    """Write the line, in place of Django's; `log_response` escapes what clients wrote."""
    is_ours = reply.status_code >= 500  # the database may be away
    log_response(
        "GraphQL %s of %s: %s %s",
        info.operation or "request",
        info.actor.shown_name if is_ours else _who(info.actor),
        reply.status_code,
        info.reason or reply.reason_phrase,
        response=reply,
        request=request,
    )


def _who(actor: Actor) -> str:
    label = ApiKey.objects.filter(pk=actor.key_id or 0).values_list("label", flat=True).first()
    return f'{actor.shown_name}, key "{label[:_LONGEST]}"' if label else actor.shown_name
