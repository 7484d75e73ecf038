"""A team's files on their way into a bucket of its own and back, in a real browser (TEAM-40)."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest
from playwright.sync_api import Page, expect

from tests.browser import listen_to
from tests.fakes.buckets import LIMITED, Bucket, BucketServer
from tests.installation import Installation
from tests.journeys.people import env_shown, sign_up
from tests.sdk.people import VERSION

pytestmark = [pytest.mark.browser, pytest.mark.sdk]

CONTENT = b"\0\1 melts"
"""No text, in which secrets would be masked on the way through the server."""
TRAIN = f"""
import wandb

CONTENT = {CONTENT!r}

with wandb.init(entity="glaciers", project="melting", id="first") as run:
    for name in ("a.bin", "b.bin"):
        with open(name, "wb") as file:
            file.write(CONTENT)
        run.save(name)
    ice = wandb.Artifact("ice", type="dataset")
    with ice.new_file("core.bin", mode="wb") as file:
        file.write(b"ice of a thousand years")
    run.log_artifact(ice).wait()
"""
SECTION = "/teams/glaciers/bucket"
MOVED_MS = 90_000
"""Within which a move ends: after 15 s at the earliest, with the scheduler's next round at the latest."""


@pytest.fixture
def browsing(page: Page) -> Iterator[Page]:
    """Give a page; fail at the end if its console has said anything but that a form was refused."""
    said = listen_to(page)
    yield page
    assert [line for line in said if "422" not in line] == []


def fill_in(page: Page, own: Bucket, **others: str) -> None:
    address = urlsplit(own.url)
    page.get_by_label("Provider").select_option("s3-server")
    page.get_by_label("Bucket", exact=True).fill(address.netloc)
    page.get_by_label("Prefix").fill("runyard/ice")
    page.get_by_label("Endpoint").fill(parse_qs(address.query)["endpoint"][0])
    for name, value in {**own.credentials, **others}.items():
        page.locator(f"[name={name}]").fill(value)
    page.get_by_role("button", name="Check and connect").click()


def download(page: Page, server: Installation) -> tuple[bytes, str]:
    """Download a file by its button; returns what it has, and the host that its link leads to."""
    page.goto(f"{server.url}/glaciers/melting/runs/first/files")
    link = page.get_by_role("link", name="Download a.bin")
    with page.expect_download() as caught:
        link.click()
    led_to = page.request.get(f"{server.url}{link.get_attribute('href')}").url
    return Path(caught.value.path()).read_bytes(), urlsplit(led_to).netloc


@pytest.mark.turns
def test_an_admin_moves_a_teams_files_to_its_bucket_and_back(
    browsing: Page,
    new_server: Callable[..., Installation],
    bucket_servers: Callable[[str], BucketServer],
    sdk: Callable[[str], Path],
    run_script: Callable[..., Any],
) -> None:
    """TEAM-40: with a slip in the credentials first; nobody need wait at the page, which shows the end by itself."""
    page, buckets = browsing, bucket_servers("seaweedfs")
    server = new_server(RUNYARD_ALLOWED_NETWORKS="127.0.0.0/8")
    sign_up(page, server, "signe")
    env = env_shown(page)
    page.goto(f"{server.url}/settings/teams")
    server.manage("create_organization", "polar", "--admin", "signe")
    server.manage("create_team", "glaciers", "--organization", "polar", "--admin", "signe")
    run_script(sdk(VERSION), TRAIN, {**server.client_env(env["WANDB_API_KEY"])})

    own = buckets.new_bucket()
    page.goto(f"{server.url}{SECTION}")
    page.get_by_role("link", name="Connect a bucket").click()
    fill_in(page, own, access_key=LIMITED["s3:GetObject"][0])
    expect(page.get_by_role("alert")).to_contain_text("the permission s3:GetObject is missing")
    expect(page.get_by_label("Prefix")).to_have_value("runyard/ice")
    expect(page.locator("[name=secret_key]")).to_have_value("")
    fill_in(page, own)
    expect(page.locator("#team-storage")).to_contain_text("Moving files to the team’s bucket")
    expect(page.locator("#team-storage")).to_contain_text("Last move", timeout=MOVED_MS)
    content, host = download(page, server)
    assert (content, host) == (CONTENT, urlsplit(buckets.faults.url).netloc)

    page.goto(f"{server.url}{SECTION}")
    page.get_by_role("button", name="Check again").click()
    expect(page.locator("#team-storage")).to_contain_text("Works")
    page.get_by_role("button", name="Move files back to the default storage").click()
    page.get_by_role("button", name="Move files back", exact=True).click()
    expect(page.locator("#team-storage")).to_contain_text("Moving files back to the default storage")
    expect(page.locator("#team-storage")).to_contain_text("Last move", timeout=MOVED_MS)
    content, host = download(page, server)
    assert (content, host) == (CONTENT, urlsplit(server.url).netloc)
