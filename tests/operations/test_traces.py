"""Traces: what a collector gets of a real installation, that nothing secret is in it, and that nobody waits for it."""

import gzip
from base64 import b64encode
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pytest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status

from tests.fakes.sinks import Sink, sink
from tests.installation import Installation
from tests.ports import free_port
from tests.sdk.people import Person, person
from tests.sdk.wire import history, row
from tests.waiting import until

pytestmark = pytest.mark.processes
CALLER = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"


@dataclass(frozen=True)
class Traced:
    """A span as the collector got it."""

    process: str
    span: Span

    @property
    def trace(self) -> str:
        return self.span.trace_id.hex()

    @property
    def attributes(self) -> dict[str, Any]:
        found = {each.key: each.value for each in self.span.attributes}
        return {key: getattr(value, value.WhichOneof("value")) for key, value in found.items()}


def traced(collector: Sink) -> list[Traced]:
    """Return all spans so far."""
    found = []
    for request in list(collector.taken):
        if not request.body:
            continue
        export = ExportTraceServiceRequest.FromString(gzip.decompress(request.body))
        for resource in export.resource_spans:
            names = {each.key: each.value.string_value for each in resource.resource.attributes}
            for scope in resource.scope_spans:
                found += [Traced(names["runyard.process"], span) for span in scope.spans]
    return found


@pytest.fixture(scope="module")
def collector() -> Iterator[Sink]:
    with sink() as opened:
        opened.answers["/v1/traces"] = (200, {}, b"")
        yield opened


@pytest.fixture(scope="module")
def watched(tmp_path_factory: pytest.TempPathFactory, collector: Sink) -> Iterator[Installation]:
    with Installation(
        tmp_path_factory.mktemp("traced"),
        RUNYARD_TRACES_URL=collector.url(""),
        RUNYARD_TRACES_SHARE="1",
        RUNYARD_TRACES_HEADERS="authorization=Bearer of-the-collector",
        OTEL_BSP_SCHEDULE_DELAY="100",
    ) as installation:
        yield installation


@pytest.fixture(scope="module")
def ada(watched: Installation) -> Iterator[Person]:
    with person(watched, "trc-ada") as made:
        yield made


def spans_of(collector: Sink, name: str, has: Callable[[Traced], bool] = bool) -> list[Traced]:
    """Wait for spans of a name."""
    found: list[Traced] = until(
        lambda: [each for each in traced(collector) if each.span.name == name and has(each)], f"a span {name}"
    )
    return found


def below(collector: Sink, parent: Traced) -> list[Traced]:
    return [each for each in traced(collector) if each.span.parent_span_id == parent.span.span_id]


def test_a_post_is_a_trace_down_to_its_statements(watched: Installation, ada: Person, collector: Sink):
    run = ada.wire.begin("traced")
    body = history(0, *(row(step, loss=step) for step in range(3)))
    reply = ada.wire.http.post(run.stream, json=body, headers={"traceparent": CALLER})
    assert reply.status_code == 200
    post = spans_of(collector, "POST file_stream")[0]
    assert post.trace == CALLER.split("-")[1]
    assert post.span.parent_span_id.hex() == CALLER.split("-")[2]
    assert post.span.kind == Span.SPAN_KIND_SERVER
    assert post.attributes["http.response.status_code"] == 200
    group = until(
        lambda: [each for each in below(collector, post) if each.span.name == "group commit"], "the group"
    )[0]
    assert group.attributes == {"runyard.posts": 1}
    statements = until(lambda: below(collector, group), "its statements")
    assert {each.trace for each in statements} == {post.trace}
    assert any("metrics_" in each.attributes["db.query.text"] for each in statements)
    assert {each.attributes["db.system.name"] for each in statements} <= {"sqlite", "postgresql"}


def test_a_page_is_named_by_its_route_and_an_operation_by_its_name(
    watched: Installation, ada: Person, collector: Sink
):
    ada.wire.begin("traced")
    assert (
        spans_of(collector, "graphql UpsertBucket")[0].attributes["graphql.operation.name"] == "UpsertBucket"
    )
    assert watched.get("/login")[0] == 302
    page = spans_of(collector, "GET /login")[0]
    assert page.attributes == {
        "http.request.method": "GET", "url.scheme": "http", "runyard.surface": "pages", "http.route": "/login",
        "http.response.status_code": 302,
    }  # fmt: skip
    assert watched.get("/healthz")[0] == 200
    assert not [each for each in traced(collector) if each.attributes.get("runyard.surface") == "probes"]


def test_tasks_are_traces_of_the_worker(watched: Installation, collector: Sink):
    beat = spans_of(collector, "common.tasks.beat_heartbeat")[0]
    assert beat.process == "worker"
    assert not beat.span.parent_span_id
    roots = [each for each in traced(collector) if not each.span.parent_span_id]
    assert {each.span.kind for each in roots} <= {Span.SPAN_KIND_SERVER, Span.SPAN_KIND_CONSUMER}


def test_a_task_is_in_the_trace_of_the_request_that_asked_for_it(
    watched: Installation, ada: Person, collector: Sink
):
    run = ada.wire.begin("traced")
    assert ada.wire.post(run, {"complete": True, "exitcode": 1}).status_code == 200
    inside = until(
        lambda: [
            each for each in traced(collector) if each.process == "worker" and each.span.kind == Span.SPAN_KIND_CONSUMER
            and each.trace in {other.trace for other in traced(collector) if other.process == "web"}
        ],
        "a task in the trace of a request",
    )  # fmt: skip
    assert inside[0].span.parent_span_id


def test_nothing_of_people_or_secrets_is_exported(watched: Installation, ada: Person, collector: Sink):
    run = ada.wire.begin("secret-project")
    assert ada.wire.post(run, b"no JSON").status_code == 400
    key = b64encode(f"api:{ada.key}".encode()).decode()
    assert watched.get(f"/{ada.name}/secret-project?token=secret-query", {"Authorization": f"Basic {key}"})[0]
    refused = spans_of(
        collector, "POST file_stream", lambda each: each.attributes["http.response.status_code"] == 400
    )[0]
    assert refused.span.status.code == Status.STATUS_CODE_UNSET  # of the client, not of the server
    sent = b"".join(gzip.decompress(request.body) for request in list(collector.taken) if request.body)
    for secret in (ada.key, key, ada.name, "secret-project", "secret-query", run.uid, "of-the-collector"):
        assert secret.encode() not in sent, secret
    assert collector.taken[0].headers["authorization"] == "Bearer of-the-collector"


def test_a_line_of_the_log_names_its_trace(watched: Installation, ada: Person, collector: Sink):
    reply = ada.wire.http.post(
        "/graphql", json={"query": "query Odd { odd }"}, headers={"traceparent": CALLER}
    )
    assert reply.status_code == 400
    until(lambda: f"trace_id={CALLER.split('-')[1]}" in watched.log("web"), "the line")


def test_the_doctor_asks_the_collector(watched: Installation):
    found = {each["part"]: each for each in watched.manage("doctor", "--json")["findings"]}
    assert found["traces"]["state"] == "fine"


def test_a_collector_that_is_away_holds_nobody_up(watched: Installation, ada: Person):
    def complaints() -> int:
        return watched.log("web").count("Failed to export spans")

    watched.configure(RUNYARD_TRACES_URL=f"http://127.0.0.1:{free_port()}")
    watched.restart("web")
    before = complaints()
    run = ada.wire.begin("traced")
    for step in range(20):
        assert ada.wire.post(run, history(step, row(step, loss=step))).status_code == 200
    assert len(ada.wire.rows(run)) == 20
    until(lambda: complaints() > before, "the line that says so")
    watched.restart("web")
    assert complaints() == before + 1
