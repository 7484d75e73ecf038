# mypy: ignore-errors
"""Which release of the SDK a command would import, and what depends on it (AGT-1)."""

import os

import pytest

from runyard_agent.sdk_release import fails_on_headers, sdk_release


@pytest.fixture
def folder(tmp_path):
    """A folder of programs, which is all of the path."""

    def program(name, text):
        path = tmp_path / name
        path.write_text(text)
        path.chmod(0o755)
        return str(path)

    program.environment = {**os.environ, "PATH": f"{tmp_path}{os.pathsep}/usr/bin{os.pathsep}/bin"}
    return program


def says(release):
    return f"#!/bin/sh\necho {release}\n"


@pytest.mark.parametrize(
    ("release", "fails"),
    [
        ("0.16.6", False),
        ("0.19.0", True),
        ("0.19.11", True),
        ("0.20.1", True),
        ("0.21.0", False),
        ("0.31.0", False),
    ],
)
def test_a_release_that_fails_on_headers_is_known_by_its_number(folder, release, fails):
    python = folder("python3", says(release))
    assert sdk_release([python, "train.py"], folder.environment) == release
    assert fails_on_headers([python, "train.py"], folder.environment) is fails


def test_a_script_runs_with_the_python_that_it_names(folder):
    python = folder("python3.9", says("0.19.1"))
    folder("python", says("0.31.0"))
    script = folder("torchrun", f"#!{python}\n")
    assert sdk_release([script, "train.py"], folder.environment) == "0.19.1"


def test_other_programs_are_taken_to_call_the_first_python_of_the_path(folder):
    folder("python", says("0.20.1"))
    script = folder("train.sh", "#!/bin/sh\npython train.py\n")
    assert sdk_release([script], folder.environment) == "0.20.1"
    assert sdk_release(["train.sh"], folder.environment) == "0.20.1"


@pytest.mark.parametrize("text", ["#!/bin/sh\nexit 1\n", "#!/nonesuch\n", "#!/bin/sh\nprintf '\\377'\n"])
def test_what_cannot_be_known_is_no_release(folder, text):
    python = folder("python3", text)
    assert not fails_on_headers([python], folder.environment)
    assert not fails_on_headers(["nonesuch"], folder.environment)
