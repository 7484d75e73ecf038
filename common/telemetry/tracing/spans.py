"""What other code says of its work; without a collector each of these is a look at one variable."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.trace import SpanContext, Tracer

Kind = Literal["server", "client", "consumer", "internal"]
_tracer: "Tracer | None" = None


def begin(tracer: "Tracer | None") -> None:
    """Record spans with this tracer from now on, or none any more."""
    global _tracer  # noqa: PLW0603 - one for the process
    _tracer = tracer


def are_exported() -> bool:
    """Say whether there is a collector."""
    return _tracer is not None


def are_recorded() -> bool:
    """Say whether the work that goes on here belongs to a trace that is exported."""
    if _tracer is None:
        return False
    from opentelemetry.trace import get_current_span

    return get_current_span().is_recording()


def span(
    name: str,
    kind: Kind = "internal",
    attributes: Mapping[str, Any] | None = None,
    *,
    context: "Context | None" = None,
    links: "Sequence[SpanContext]" = (),
) -> AbstractContextManager[None]:
    """Record the block as a span: failed, with the class of the error, if one leaves it.

    Args:
        name: As few different ones as can be; what differs goes into the attributes.
        kind: Traces begin with a ``server`` or ``consumer``; others without a parent are not recorded.
        attributes: As OpenTelemetry's semantic conventions name them, else ``runyard.…``.
        context: Of the parent, if it is not the span of the block around.
        links: Spans elsewhere that wait for this one.
    """
    if _tracer is None:
        return nullcontext()
    from opentelemetry.trace import Link, SpanKind

    return _recorded(
        _tracer, name, kind=SpanKind[kind.upper()], attributes=attributes, context=context, links=[*map(Link, links)]
    )  # fmt: skip


@contextmanager
def _recorded(tracer: "Tracer", name: str, **options: Any) -> Iterator[None]:
    # what the library would record of an error is its message and traceback
    with tracer.start_as_current_span(name, **options, record_exception=False, set_status_on_exception=False):
        try:
            yield
        except Exception as error:
            fail(type(error).__name__)
            raise


def group_span(
    name: str, members: "Sequence[SpanContext | None]", attributes: Mapping[str, Any]
) -> AbstractContextManager[None]:
    """Record work that is done at once for several: below the first that is recorded, linked to the others.

    Args:
        name: As for `span`.
        members: What `position` was for each.
        attributes: As for `span`.
    """
    if _tracer is None:
        return nullcontext()
    from opentelemetry.trace import INVALID_SPAN, NonRecordingSpan, set_span_in_context

    recorded = [member for member in members if member is not None and member.trace_flags.sampled]
    parent = NonRecordingSpan(recorded[0]) if recorded else INVALID_SPAN
    return span(name, "internal", attributes, context=set_span_in_context(parent), links=recorded[1:])


def position() -> "SpanContext | None":
    """Return which span this is, for work that somebody else will do for it; None without a collector."""
    if _tracer is None:
        return None
    from opentelemetry.trace import get_current_span

    return get_current_span().get_span_context()


def context_of(traceparent: str) -> "Context":
    """Return the context of a span elsewhere, by the header that names it; of none, if that cannot be read."""
    from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

    return TraceContextTextMapPropagator().extract({"traceparent": traceparent})


def describe(name: str | None, attributes: Mapping[str, Any]) -> None:
    """Give the current span the name it should have had, and further attributes."""
    if _tracer is None:
        return
    from opentelemetry.trace import get_current_span

    current = get_current_span()
    if name is not None:
        current.update_name(name)
    current.set_attributes(attributes)


def fail(why: str) -> None:
    """Mark the current span as failed.

    Args:
        why: The class of an error or a status; nothing that comes from outside.
    """
    if _tracer is None:
        return
    from opentelemetry.trace import Status, StatusCode, get_current_span

    current = get_current_span()
    current.set_attribute("error.type", why)
    current.set_status(Status(StatusCode.ERROR))
