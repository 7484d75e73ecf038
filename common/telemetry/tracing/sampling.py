"""Which traces are exported."""

import random
from collections.abc import Sequence
from typing import Any

from opentelemetry.context import Context
from opentelemetry.sdk.trace.sampling import Decision, Sampler, SamplingResult
from opentelemetry.trace import Link, SpanKind, TraceState, get_current_span


class ShareOfRequestsAndTasks(Sampler):
    """Samples a share of requests, and of tasks that no request asked for; all else is as what it is a part of.

    What has no parent and is neither (a statement of a thread that sleeps and looks, say) is left out. Where a proxy or
    client began the trace of a request, it must sample it, too; of these the same share is taken, by chance and not by
    the trace's id: anybody may send such a header, and must not fill the collector with it.
    """

    def __init__(self, share: float) -> None:
        """Take a share of 0 to 1."""
        self._share = share

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
        parent = get_current_span(parent_context).get_span_context()
        is_request, is_task = kind is SpanKind.SERVER, kind is SpanKind.CONSUMER
        is_sampled = parent.trace_flags.sampled if parent.is_valid else is_request or is_task
        if is_request or not parent.is_valid:
            is_sampled = is_sampled and random.random() < self._share  # noqa: S311 - no secret
        return SamplingResult(Decision.RECORD_AND_SAMPLE if is_sampled else Decision.DROP, attributes)

    def get_description(self) -> str:
        """Return what this is, for people."""
        return f"{self._share:g} of requests and tasks"
