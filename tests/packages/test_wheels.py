"""The wheels, each in an empty environment: nothing is compiled, and they do what README says."""

import os
import subprocess
from collections.abc import Iterator
from pathlib import Path
from zipfile import ZipFile

import httpx
import pytest

from common import VERSION
from config.env import ROOT
from tests import clients
from tests.ports import free_port
from tests.sdk.wire import Run
from tests.served import Served, created, log_a_run, readme_script, stored
from tests.wheels import build_wheel, install, install_server

pytestmark = [pytest.mark.processes, pytest.mark.sdk, pytest.mark.takes(60)]
TOP = {"runyard", f"runyard-{VERSION}.dist-info"}
NEVER = ("/tests/", "__pycache__", ".po", "settings/test", "settings/dev", "dev_server")


@pytest.fixture(scope="module")
def wheels(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build both, as `make wheel` does."""
    folder = tmp_path_factory.mktemp("wheels")
    for source in (ROOT, ROOT / "agent"):
        build_wheel(source, folder)
    return folder


@pytest.fixture(scope="module")
def server_programs(wheels: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    [wheel] = wheels.glob("runyard-*.whl")
    return install_server(tmp_path_factory.mktemp("server") / "environment", wheel, ROOT)


def env_of(home: Path, **variables: str) -> dict[str, str]:
    """Return the environment of somebody who has set nothing else."""
    return {"HOME": str(home), "PATH": os.defpath, "LANG": "C.UTF-8", **variables}


@pytest.fixture(scope="module")
def served(
    server_programs: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Served, str, Path]]:
    """Serve from another folder than the checkout, with an empty home."""
    home, port = tmp_path_factory.mktemp("home"), free_port()
    one = Served([str(server_programs / "runyard"), "serve"], home, env_of(home, RUNYARD_PORT=str(port)))
    try:
        one.wait_until_it_serves()
        clients.wait_for_answer(f"http://localhost:{port}/ready")
        yield one, f"http://localhost:{port}", home
        one.press_ctrl_c()
    finally:
        one.kill()


@pytest.fixture(scope="module")
def key(served: tuple[Served, str, Path], server_programs: Path) -> str:
    _, _, home = served
    command = [
        str(server_programs / "runyard"),
        "create-user",
        "wheel-ada",
        "--email",
        "wheel-ada@example.com",
    ]
    return created([*command, "--password", "correct horse battery"], home, env_of(home))["api_key"]


def test_the_wheel_puts_one_folder_into_site_packages(wheels):
    [wheel] = wheels.glob("runyard-*.whl")
    names = ZipFile(wheel).namelist()
    assert {name.partition("/")[0] for name in names} == TOP
    assert [name for name in names if any(part in name for part in NEVER)] == []


def test_the_wheel_has_the_front_end_templates_and_languages(wheels):
    [wheel] = wheels.glob("runyard-*.whl")
    names = set(ZipFile(wheel).namelist())
    folders = ("assets/dist", "templates")
    built = {
        f"runyard/{file.relative_to(ROOT)}"
        for folder in folders
        for file in (ROOT / folder).rglob("*")
        if file.is_file() and not file.name.startswith(".built")
    }
    assert built - names == set()
    assert {f"runyard/locale/{language}/LC_MESSAGES/django.mo" for language in ("ja", "ko")} <= names


def test_both_wheels_have_the_number_of_the_release(wheels):
    assert {wheel.name for wheel in wheels.iterdir()} == {
        f"runyard-{VERSION}-py3-none-any.whl",
        f"runyard_agent-{VERSION}-py3-none-any.whl",
    }


def test_the_version_is_printed(server_programs, tmp_path):
    printed = subprocess.run(
        [server_programs / "runyard", "version"],
        env=env_of(tmp_path),
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert printed == f"Runyard {VERSION}\n"


def test_a_run_of_the_sdk_is_stored(served, key):
    _, url, _ = served
    log_a_run(readme_script(ROOT), url, key)


def test_data_is_in_the_usual_place_of_the_platform(served):
    one, _, home = served
    folder = home / ".local" / "share" / "runyard"
    assert (folder / "runyard.sqlite3").exists()
    assert f"data      {folder}" in one.output


@pytest.mark.parametrize(("language", "word"), [("en", "Sign in"), ("ja", "ログイン"), ("ko", "로그인")])
def test_pages_are_whole(served, language, word):
    """Templates, languages, and a style sheet that was collected."""
    _, url, _ = served
    with httpx.Client(base_url=url, headers={"Accept-Language": language}, follow_redirects=True) as client:
        page = client.get("/").text
        assert word in page
        style = (
            page.partition('rel="stylesheet"')[0].rpartition("<link")[2]
            + page.partition('rel="stylesheet"')[2]
        )
        assert client.get(style.partition('href="')[2].partition('"')[0]).status_code == 200


def test_health_is_told_by_the_exit_status(served, server_programs):
    _, url, home = served
    env = env_of(home, RUNYARD_PORT=url.rpartition(":")[2])
    for process, status in (("web", 0), ("worker", 0)):
        assert subprocess.call([server_programs / "runyard", "health", process], env=env) == status
    nobody = env_of(home, RUNYARD_PORT=str(free_port()))
    assert subprocess.call([server_programs / "runyard", "health"], env=nobody) == 1


def test_the_agent_records_a_command(wheels, served, key, tmp_path):
    """Its packages are not the server's; in the lock file of development they have the versions that are tried."""
    _, url, _ = served
    [wheel] = wheels.glob("runyard_agent-*.whl")
    needs = ("nvidia-ml-py", "platformdirs", "prometheus-client", "psutil", "rich", "urllib3")
    programs = install(tmp_path / "environment", wheel, "-c", str(ROOT / "requirements-dev.txt"), *needs)
    command = [
        str(programs / "runyard-agent"),
        "run",
        "--project",
        "wheels",
        "--run-id",
        "wheel-run",
        "--",
        "echo",
        "trained",
    ]
    env = env_of(tmp_path, RUNYARD_URL=url, RUNYARD_API_KEY=key)
    subprocess.run(command, env=env, cwd=tmp_path, check=True, capture_output=True)
    found = stored(url, key, Run("wheel-ada", "wheels", "wheel-run"))
    assert found["state"] == "finished"
