"""AGT-4: endpoints, from a real server."""

from __future__ import annotations

import pytest

import payloads
from runyard_agent.collecting import Failed
from runyard_agent.collectors.dcgm import Dcgm
from runyard_agent.collectors.openmetrics import OpenMetrics, compile_filters
from runyard_agent.metrics import describe


def test_gauges_and_counters_with_their_labels_kept(site):
    """AGT-4: openmetrics.<endpoint>.<metric>.<n>; histograms, untyped and NaN are left out."""
    site.pages["/metrics"] = (200, payloads.EXPOSITION)
    node = OpenMetrics("node", f"{site.url}/metrics", headers={"Authorization": "Bearer x"})
    assert node.collect() == {
        "openmetrics.node.node_load1.0": 0.42,
        "openmetrics.node.requests_total.0": 7,
        "openmetrics.node.requests_total.1": 8,
        "openmetrics.node.requests_total.2": 9,
    }
    assert node.facts()["_openmetrics.node.requests_total.1"] == {"code": "200", "path": "/b"}
    assert site.requests[0][1]["Authorization"] == "Bearer x"


def test_a_series_keeps_its_number_when_others_come_and_go(site):
    """AGT-4: n is the order in which labels were first seen."""
    node = OpenMetrics("node", f"{site.url}/metrics")
    site.pages["/metrics"] = (200, '# TYPE a gauge\na{x="1"} 1\na{x="2"} 2\n')
    node.collect()
    site.pages["/metrics"] = (200, '# TYPE a gauge\na{x="3"} 3\na{x="2"} 2\n')
    assert node.collect() == {"openmetrics.node.a.2": 3, "openmetrics.node.a.1": 2}


@pytest.mark.parametrize(
    ("filters", "expected"),
    [
        (["node_load"], {"node_load1.0"}),
        (["^node\\.requests"], {"requests_total.0", "requests_total.1", "requests_total.2"}),
        ({"requests": {"code": "^2", "path": "b"}}, {"requests_total.0"}),
        ({"requests": {"nothing": "x"}}, set()),
    ],
)
def test_filters_search_name_and_labels(site, filters, expected):
    """AGT-4: regular expressions, unanchored; all of an entry's labels must match."""
    site.pages["/metrics"] = (200, payloads.EXPOSITION)
    node = OpenMetrics("node", f"{site.url}/metrics", filters=filters)
    assert set(node.collect()) == {f"openmetrics.node.{name}" for name in expected}


def test_openmetrics_with_exemplars(site):
    """AGT-4: the stricter format, told by its last line."""
    site.pages["/metrics"] = (200, payloads.OPENMETRICS)
    assert OpenMetrics("x", f"{site.url}/metrics").collect() == {
        "openmetrics.x.jobs_total.0": 17,
        "openmetrics.x.heat.0": 21.5,
    }


@pytest.mark.parametrize(
    ("status", "text"), [(500, ""), (302, ""), (200, "<html>{}</html>"), (200, "a{b 1\n")]
)
def test_an_endpoint_that_fails_says_so(site, status, text):
    """AGT-4: no value out of what is no exposition."""
    site.pages["/metrics"] = (status, text)
    with pytest.raises(Failed):
        OpenMetrics("x", f"{site.url}/metrics").collect()


def test_an_endpoint_that_is_not_there_says_so():
    """AGT-4: the message names the URL."""
    with pytest.raises(Failed, match="127.0.0.1:1/metrics"):
        OpenMetrics("x", "http://127.0.0.1:1/metrics", timeout_s=1).collect()


def test_a_bad_expression_is_named():
    """AGT-4: settings are checked before anything runs."""
    with pytest.raises(ValueError, match="is not a regular expression"):
        compile_filters(["a("])


def test_dcgm_by_its_own_page(site):
    """AGT-4: hosts are labels, ratios become percent, blank values are left out."""
    site.pages["/metrics"] = (200, payloads.DCGM)
    dcgm = Dcgm(f"{site.url}/metrics")
    reading = dcgm.collect()
    assert reading == {
        "gpu.0.gpu/l:node-3": 93,
        "gpu.0.powerWatts/l:node-3": 611.4,
        "gpu.0.smActive/l:node-3": 81,
        "gpu.0.mig.7.dramActive/l:node-3": 50,
    }
    found = describe("system.gpu.0.gpu/l:node-3")
    assert found
    assert (found.metric.title, found.label) == ("GPU use", "node-3")
    assert dcgm.facts()["gpu_dcgm"][0] == {
        "index": "0",
        "uuid": "GPU-aaaa",
        "name": "NVIDIA H200",
        "host": "node-3",
    }


def test_dcgm_by_a_prometheus_query(site):
    """AGT-4: x_stats_dcgm_exporter takes a query's address."""
    site.pages["/api/v1/query?query=x"] = (200, payloads.PROMETHEUS_QUERY)
    assert Dcgm(f"{site.url}/api/v1/query?query=x").collect() == {"gpu.2.temp/l:node-4": 61}


def test_dcgm_of_another_service_says_so(site):
    """AGT-4: a page without its metrics is a failure, not silence."""
    site.pages["/metrics"] = (200, payloads.EXPOSITION)
    with pytest.raises(Failed, match="no DCGM metrics"):
        Dcgm(f"{site.url}/metrics").collect()
