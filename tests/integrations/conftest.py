"""Each module of this folder is about one framework; `trained` is the run that its script has logged."""

from collections.abc import Iterator

import pytest

from tests.installation import Installation
from tests.integrations import frameworks
from tests.sdk.people import person


@pytest.fixture(scope="module")
def trained(
    request: pytest.FixtureRequest, server: Installation, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[frameworks.Trained]:
    """Train once with the framework that the module's named after."""
    framework = request.module.__name__.rpartition(".test_")[2]
    python = frameworks.python_of(framework, torch=framework in frameworks.ON_PYTORCH)
    folder = tmp_path_factory.mktemp(framework)
    with person(server, f"trains-{framework}") as somebody:
        yield frameworks.train(framework, python, somebody, server, folder)
