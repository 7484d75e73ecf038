"""Addresses of pages of artifacts, and what is read on them."""

import re
from html import unescape
from typing import Any

from django.urls import reverse

from artifacts.models import Version
from artifacts.pages.addresses import names_of, version_page
from artifacts.tests.factories import place_of
from runs.models import Project, Run


def page_of(version: Version, part: str = "version", query: str = "") -> str:
    return version_page(place_of(version), part) + query


def act_of(version: Version, name: str) -> str:
    """Return the address of what is done to the collection of a version."""
    return reverse(f"artifacts:{name}", args=names_of(version.collection))


def list_of(project: Project) -> str:
    return reverse("artifacts:artifacts", args=[project.team.name, project.name])


def text_of(answer: Any) -> str:
    """Return an answer without its tags, as it is read."""
    body = re.sub(r"<(script|style|template)\b.*?</\1>", "", answer.content.decode(), flags=re.DOTALL)
    return " ".join(unescape(re.sub(r"<[^>]*>", " ", body)).split())


def tab_of(run: Run) -> str:
    """Return the address of the Artifacts tab of a run."""
    return reverse("artifacts:run_artifacts", args=[run.project.team.name, run.project.name, run.uid])
