"""Each module of this folder is about one framework; `trained` is the run that its script has logged."""

from collections.abc import Iterator

import pytest

from tests.installation import Installation
from tests.integrations import frameworks
from tests.sdk.people import person


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Skip, aloud, what is too heavy for every run, unless the marker expression asks for it."""
    if "heavy" in config.getoption("markexpr"):
        return
    skip = pytest.mark.skip(reason="installs 1 GB of PyTorch; `make test-integrations` runs it")
    for item in items:
        if item.get_closest_marker("heavy"):
            item.add_marker(skip)


@pytest.fixture(scope="module")
def trained(
    request: pytest.FixtureRequest, server: Installation, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[frameworks.Trained]:
    """Train once with the framework that the module's named after."""
    framework = request.module.__name__.rpartition(".test_")[2]
    heavy = request.node.get_closest_marker("heavy") is not None
    python = frameworks.python_of(framework, torch=heavy)
    folder = tmp_path_factory.mktemp(framework)
    with person(server, f"trains-{framework}") as somebody:
        yield frameworks.train(framework, python, somebody, server, folder)
