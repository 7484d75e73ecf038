"""Weave, which asks a server of its own below ours, is told in words that there is none."""

import pytest
from django.test import Client
from packaging.version import Version

WORDS = "Weave is not part of Runyard; set WEAVE_DISABLED=true"


def test_weave_switches_itself_off_by_the_release_it_is_asked_for(client: Client):
    told = client.get("/traces/server_info").json()
    assert Version(told["min_required_weave_python_version"]) > Version("9998")
    assert "weave.is.not.part.of.runyard" in told["min_required_weave_python_version"]
    assert told["message"] == WORDS


@pytest.mark.parametrize("method", ["GET", "POST"])
def test_everything_else_is_refused_in_words(method: str):
    reply = Client(enforce_csrf_checks=True).generic(method, "/traces/calls/query", "{}")
    assert reply.status_code == 404
    assert reply.json()["error"]["message"] == WORDS
