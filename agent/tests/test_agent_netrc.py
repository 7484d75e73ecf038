"""The key in the netrc file, where `wandb login` stores it, too."""

from __future__ import annotations

import netrc
import stat

import pytest

from runyard_agent.ending import Ending
from runyard_agent.hosting import PERIODS, Hosting
from runyard_agent.netrc_file import key_for, path_of, store
from runyard_agent.run_paths import on_server, run_path
from runyard_agent.settings import load

URL = "https://runyard.example.com:8443"
MACHINE = "runyard.example.com:8443"
OTHERS = """# mine
machine github.com login ada password "with # and machine"

machine runyard.example.com:8443
  login user
  password old
# the rest
macdef init
machine not-one
echo

default login anonymous password guest
"""


@pytest.fixture
def environment(tmp_path):
    return {"HOME": str(tmp_path), "RUNYARD_CONFIG": "/nonexistent"}


def test_a_key_takes_the_place_of_the_old_one_and_all_else_stays(environment):
    """Usability 3 of the review: other programs have their passwords in the same file."""
    path = path_of(environment)
    path.write_text(OTHERS)
    path.chmod(0o644)
    store(URL, "ry-new", environment)
    assert path.read_text() == OTHERS.replace("password old", "password ry-new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert key_for(URL, environment) == "ry-new"
    assert key_for("https://elsewhere.example.com", environment) == ""  # default is nobody's key
    assert netrc.netrc(str(path)).hosts["github.com"] == ("ada", "", "with # and machine")


@pytest.mark.parametrize("before", [None, "", "machine a login b password c", "default login x password y\n"])
def test_a_first_key_is_found_wherever_it_is_written(environment, before):
    """Usability 3: in a new file, behind an unfinished line, before ``default``."""
    path = path_of(environment)
    if before is not None:
        path.write_text(before)
    store(URL, "ry-new", environment)
    assert key_for(URL, environment) == "ry-new"
    assert len(netrc.netrc(str(path)).hosts) == 1 + bool(before)
    assert path.read_text().find(MACHINE) < path.read_text().find("default") or "default" not in (
        before or ""
    )


def test_a_link_to_the_file_stays_one(environment, tmp_path):
    """Usability 3: as people have who keep such files in a repository of their own."""
    (tmp_path / "dotfiles").mkdir()
    (tmp_path / ".netrc").symlink_to(tmp_path / "dotfiles" / "netrc")
    store(URL, "ry-new", environment)
    assert (tmp_path / ".netrc").is_symlink()
    assert key_for(URL, {"NETRC": str(tmp_path / "dotfiles" / "netrc")}) == "ry-new"


def origins(environment):
    return {
        setting.name: (value.value, value.origin)
        for setting, value in load(environment=environment).items()
        if setting.sdk_variable
    }


SDK = {
    "WANDB_BASE_URL": f"{URL}/",
    "WANDB_API_KEY": "ry-sdk",
    "WANDB_ENTITY": "physics",
    "WANDB_PROJECT": "digits",
}


def test_what_is_set_for_the_sdk_is_enough(environment):
    """Usability 3: a lab has these set on every host."""
    assert origins({**environment, **SDK}) == {
        "url": (f"{URL}/", "WANDB_BASE_URL"),
        "api_key": ("ry-sdk", "WANDB_API_KEY"),
        "entity": ("physics", "WANDB_ENTITY"),
        "project": ("digits", "WANDB_PROJECT"),
    }


def test_our_own_settings_come_first(environment, tmp_path):
    """Usability 3: variable, then file, then what the SDK has, then netrc."""
    store(URL, "ry-netrc", environment)
    file = tmp_path / "agent.toml"
    file.write_text('entity = "file"\n')
    found = origins({
        **environment, **SDK, "RUNYARD_CONFIG": str(file), "RUNYARD_URL": URL, "RUNYARD_PROJECT": "ours",
    })  # fmt: skip
    assert found["project"] == ("ours", "RUNYARD_PROJECT")
    assert found["entity"] == ("file", f"{file} (entity)")
    assert found["api_key"] == ("ry-sdk", "WANDB_API_KEY")
    found = origins({**environment, "RUNYARD_URL": URL})
    assert found["api_key"] == ("ry-netrc", str(tmp_path / ".netrc"))


def test_a_key_for_another_server_goes_nowhere_else(environment):
    """Usability 3: WANDB_API_KEY belongs to WANDB_BASE_URL."""
    elsewhere = {**SDK, "WANDB_BASE_URL": "https://api.example.com"}
    found = origins({**environment, **elsewhere, "RUNYARD_URL": URL})
    assert found["api_key"] == ("", "default")
    assert found["entity"] == ("", "default")
    store(URL, "ry-netrc", environment)
    assert origins({**environment, **elsewhere, "RUNYARD_URL": URL})["api_key"][0] == "ry-netrc"


def test_the_address_of_a_run_names_the_server_whose_key_is_stored(environment, monkeypatch):
    """Usability 3: ``attach --run URL`` needs nothing but the login."""
    store(URL, "ry-netrc", environment)
    monkeypatch.setenv("NETRC", str(path_of(environment)))
    settings = load(environment=environment)
    path = run_path(f"{URL}/physics/mnist/runs/first", settings)
    assert on_server(path, settings).api_key == "ry-netrc"


def test_a_host_is_not_watched_in_the_project_of_trainings(environment):
    """Usability 3: WANDB_PROJECT is that of the person's runs; ``host`` has its own."""
    settings = load({"mode": "offline"}, environment={**environment, **SDK})
    hosting = Hosting(settings, period_of=PERIODS["day"], ending=Ending(), collectors=[])
    assert hosting.project == "physics/hosts"
