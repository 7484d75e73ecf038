"""Scraping an installation as Prometheus does."""

import secrets
from collections.abc import Iterable

from prometheus_client import Metric
from prometheus_client.parser import text_string_to_metric_families

from tests.installation import Installation

TOKEN = secrets.token_urlsafe(32)
BEARER = {"Authorization": f"Bearer {TOKEN}"}

Values = dict[str, float]


def written(name: str, labels: dict[str, str]) -> str:
    """Name a sample as PromQL does: ``name{label="value"}``."""
    listed = ",".join(f'{label}="{value}"' for label, value in sorted(labels.items()))
    return f"{name}{{{listed}}}" if listed else name


def values_of(families: Iterable[Metric]) -> Values:
    """Return every sample's value by its name and labels.

    Raises:
        AssertionError: a sample is there twice, which Prometheus refuses.
    """
    found: Values = {}
    for family in families:
        for sample in family.samples:
            name = written(sample.name, sample.labels)
            assert name not in found, f"{name} is there twice"
            found[name] = sample.value
    return found


def scrape(server: Installation) -> Values:
    """Ask an installation whose token is ``TOKEN``."""
    status, body = server.get("/metrics", BEARER)
    assert status == 200, body
    return values_of(text_string_to_metric_families(body))
