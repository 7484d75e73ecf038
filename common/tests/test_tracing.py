"""Which spans are recorded, and what they tell; what a collector gets is tried in tests/operations/test_traces.py."""

from collections.abc import Iterator

import pytest
from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import NonRecordingSpan, SpanContext, StatusCode, TraceFlags, set_span_in_context

from common.telemetry.tracing import spans
from common.telemetry.tracing.sampling import ShareOfRequestsAndTasks

SAMPLED = SpanContext(2**127, 1, is_remote=True, trace_flags=TraceFlags(TraceFlags.SAMPLED))
NOT_SAMPLED = SpanContext(2**127, 1, is_remote=True, trace_flags=TraceFlags(TraceFlags.DEFAULT))


@pytest.fixture
def share() -> float:
    return 1.0


@pytest.fixture
def recorded(share: float) -> Iterator[InMemorySpanExporter]:
    exporter = InMemorySpanExporter()
    provider = TracerProvider(sampler=ShareOfRequestsAndTasks(share), shutdown_on_exit=False)
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    spans.begin(provider.get_tracer("test"))
    yield exporter
    spans.begin(None)


def names(exporter: InMemorySpanExporter) -> list[str]:
    return [span.name for span in exporter.get_finished_spans()]


def one(exporter: InMemorySpanExporter, name: str) -> ReadableSpan:
    return next(span for span in exporter.get_finished_spans() if span.name == name)


def test_without_a_collector_a_span_is_nothing():
    with spans.span("request", "server"), spans.group_span("group", [None], {}):
        assert spans.position() is None
        assert not spans.are_recorded()
        spans.describe("other", {"a": 1})
        spans.fail("Error")


def test_traces_begin_with_requests_and_tasks_alone(recorded):
    for kind in ("server", "consumer", "internal", "client"):
        with spans.span(kind, kind):
            assert spans.are_recorded() == (kind in {"server", "consumer"})
    with spans.span("request", "server"), spans.span("statement", "client"):
        assert spans.are_recorded()
    assert names(recorded) == ["server", "consumer", "statement", "request"]


@pytest.mark.parametrize(
    ("share", "caller", "is_recorded"),
    [(1, SAMPLED, True), (1, NOT_SAMPLED, False), (0, SAMPLED, False), (0, None, False)],
)
def test_a_caller_takes_away_from_the_share_and_adds_nothing(recorded, caller, is_recorded):
    context = set_span_in_context(NonRecordingSpan(caller)) if caller else None
    with spans.span("request", "server", context=context):
        assert spans.are_recorded() == is_recorded


def test_a_task_is_recorded_if_the_request_that_asked_for_it_is(recorded):
    for caller, is_recorded in ((SAMPLED, True), (NOT_SAMPLED, False)):
        with spans.span("task", "consumer", context=set_span_in_context(NonRecordingSpan(caller))):
            assert spans.are_recorded() == is_recorded


@pytest.mark.parametrize("share", [0.25])
def test_a_share_of_requests_is_recorded_whoever_began_their_traces(recorded):
    for _ in range(1000):
        context = set_span_in_context(NonRecordingSpan(SAMPLED))
        with spans.span("request", "server", context=context), spans.span("statement", "client"):
            pass
    requests = names(recorded).count("request")
    assert 150 < requests < 350  # 250 of 1,000; so far off once in 10^12 times
    assert names(recorded).count("statement") == requests


def test_of_an_error_its_class_is_told_and_not_its_message(recorded):
    with pytest.raises(ValueError, match="secret"), spans.span("request", "server"):
        raise ValueError("secret")
    span = one(recorded, "request")
    assert span.status.status_code == StatusCode.ERROR
    assert span.attributes == {"error.type": "ValueError"}
    assert "secret" not in span.to_json()


def test_a_group_is_below_its_first_member_that_is_recorded_and_linked_to_the_others(recorded):
    positions = [None, NOT_SAMPLED]
    for name in ("a", "b"):
        with spans.span(name, "server"):
            positions.append(spans.position())
    with spans.group_span("group", positions, {"runyard.posts": 4}):
        assert spans.are_recorded()
    group, (a, b) = one(recorded, "group"), positions[2:]
    assert group.parent == a
    assert [link.context for link in group.links] == [b]


def test_a_group_of_which_nobody_is_recorded_is_not_either(recorded):
    with spans.span("somebody else", "server"), spans.group_span("group", [None, NOT_SAMPLED], {}):
        assert not spans.are_recorded()
