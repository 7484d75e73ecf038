"""Which traces are exported."""

from collections.abc import Sequence
from typing import Any

from opentelemetry.context import Context
from opentelemetry.sdk.trace.sampling import Decision, ParentBased, Sampler, SamplingResult, TraceIdRatioBased
from opentelemetry.trace import Link, SpanKind, TraceState, get_current_span

_ROOTS = {SpanKind.SERVER, SpanKind.CONSUMER}


class _BegunByRequestsAndTasks(Sampler):
    """Leaves out what has no parent and is neither: a statement of a thread that sleeps and looks, say."""

    def __init__(self, of_roots: Sampler) -> None:
        self._of_roots = of_roots

    def should_sample(  # noqa: PLR0917 - as the library calls it
        self,
        parent_context: Context | None,
        trace_id: int,
        name: str,
        kind: SpanKind | None = None,
        attributes: Any = None,
        links: Sequence[Link] | None = None,
        trace_state: TraceState | None = None,
    ) -> SamplingResult:
        """Decide about a span that begins."""
        has_parent = get_current_span(parent_context).get_span_context().is_valid
        if not has_parent and kind not in _ROOTS:
            return SamplingResult(Decision.DROP)
        return self._of_roots.should_sample(parent_context, trace_id, name, kind, attributes, links)

    def get_description(self) -> str:
        """Return what this is, for people."""
        return f"requests and tasks, {self._of_roots.get_description()}"


def begun_by_requests_and_tasks(share: float) -> Sampler:
    """Return what samples this share of traces, 0 to 1.

    Of those that a proxy or client began, only ones that it samples, too, and of these the same share: anybody may
    send such a header, and must not fill the collector with it.
    """
    ratio = TraceIdRatioBased(share)
    return _BegunByRequestsAndTasks(ParentBased(ratio, remote_parent_sampled=ratio))
