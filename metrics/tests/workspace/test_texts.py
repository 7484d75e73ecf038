"""Text in panels of a workspace (RUN-26)."""

import pytest
from django.urls import reverse

from metrics.views.texts import MAX_LENGTH
from tests.factories import ProjectFactory


@pytest.fixture
def project(db):
    return ProjectFactory()


def rendered(client, project, text):
    client.force_login(project.team.memberships.first().user)
    address = reverse("metrics:project_markdown", args=[project.team.name, project.name])
    return client.post(address, {"text": text})


def test_markdown_is_rendered_and_cleaned(client, project):
    answer = rendered(
        client, project, "# Notes\n\n**bold** <script>alert(1)</script> [x](javascript:alert(1))"
    )
    html = answer.content.decode()
    assert "<h1>Notes</h1>" in html
    assert "<strong>bold</strong>" in html
    assert "<script" not in html
    assert 'href="javascript' not in html


def test_a_text_that_is_too_long_is_refused(client, project):
    assert rendered(client, project, "x" * (MAX_LENGTH + 1)).status_code == 400
