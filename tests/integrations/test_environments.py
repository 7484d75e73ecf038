"""The frameworks' environments, which must fit a machine without a graphics card."""

import pytest

from tests.integrations.frameworks import INSTALLS_PYTORCH, INSTALLS_TENSORFLOW, python_of

pytestmark = pytest.mark.sdk


@pytest.mark.parametrize(
    ("framework", "torch"),
    [
        ("sklearn", False),
        ("xgboost", False),
        pytest.param("lightgbm", False, marks=pytest.mark.exhaustive("installs one more framework")),
        pytest.param("weave", False, marks=pytest.mark.exhaustive("installs one more framework")),
        pytest.param("keras", False, marks=INSTALLS_TENSORFLOW),
        pytest.param("transformers", True, marks=INSTALLS_PYTORCH),
        pytest.param("lightning", True, marks=INSTALLS_PYTORCH),
    ],
)
def test_no_cuda_package_came_along(framework: str, torch: bool) -> None:
    python = python_of(framework, torch=torch)
    names = {path.name.lower() for path in python.parents[1].glob("lib/python*/site-packages/*.dist-info")}
    assert len(names) > 10
    assert [name for name in names if name.startswith(("nvidia", "cuda", "triton"))] == []
