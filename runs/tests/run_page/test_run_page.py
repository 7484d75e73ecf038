"""The run page: what is shown, edited, masked and deleted there, and by whom (RUN-40, RUN-41, RUN-44)."""

import io
import json
import time
import zipfile
from datetime import timedelta

import pytest
from django.urls import reverse
from django.utils import timezone

from access.actions import Preset
from access.models import AuditEntry
from common.errors import Invalid
from common.web.file_tree import FILES_A_PAGE
from runs.files.browsing import folder_of
from runs.ingest.posts import RunPost, apply_posts, lock_runs
from runs.lifecycle import services as lifecycle
from runs.lifecycle.timeline import timeline_of
from runs.logs import search as log_search
from runs.logs.blocks import LogLines, compress_lines
from runs.logs.search import Needle, search
from runs.models import BadLine, LogBlock, Pulse, Run, RunAlert, RunFile, StateChange
from runs.run_page.git_links import commit_url, repository_url
from runs.run_page.value_tree import leaves_of, nodes_of
from runs.secrets.masking import MASK
from runs.states import RunState
from runs.table.comparison import compare_runs
from runs.table.query import TableQuery
from runs.table.rows import rows_of
from tests.factories import ProjectFactory, RunFactory, TeamFactory, actor, add_run_file, make_member
from tests.streams import body_of

pytestmark = pytest.mark.django_db

KEY = "hf_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z"
SHA = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture
def run():
    team = TeamFactory()
    machine = {
        "os": "Linux", "args": ["--lr", "0.1", f"--hf-token={KEY}"], "program": "train.py", "host": "node1",
        "git": {"remote": "git@github.com:org/repo.git", "commit": SHA}, "cpu_count_logical": 8, "gpu_count": 2,
        "gpu": "H200", "memory": {"total": str(64 * 2**30)},
    }  # fmt: skip
    sdk = {"cli_version": "0.31.0", "e": {"w": machine}}
    config = {"lr": {"value": 0.1}, "hub": {"value": {"token": KEY}}, "_wandb": {"value": sdk}}
    return RunFactory(
        project=ProjectFactory(team=team), user=make_member(team), config_text=json.dumps(config)
    )


@pytest.fixture
def member(client, run):
    user = make_member(run.project.team)
    client.force_login(user)
    return user


def url(run, name, *more):
    return reverse(name, args=[run.project.team.name, run.project.name, run.uid, *more])


def write(run, lines, first_line=0):
    apply_posts(
        [RunPost(run_id=run.pk, log=[LogLines(first_line, list(lines))])], lock_runs([run.pk]), timezone.now()
    )


# -- overview --------------------------------------------------------------------------------------------------------


def test_the_overview_has_every_fact(client, run, member):
    """RUN-40: run path, command, host, hardware, git with links, SDK version."""
    page = client.get(url(run, "runs:run_overview")).content.decode()
    names = f"{run.project.team.name}/{run.project.name}/{run.uid}"
    for text in [names, "train.py --lr 0.1", "node1", "8 CPUs", "64.0 GiB memory", "2 × H200", "0.31.0"]:
        assert text in page
    assert 'href="https://github.com/org/repo"' in page
    assert f'href="https://github.com/org/repo/commit/{SHA}"' in page


@pytest.mark.parametrize(
    ("remote", "page"),
    [
        ("git@github.com:org/repo.git", "https://github.com/org/repo"),
        ("https://user:secret@gitlab.com/group/sub/repo.git", "https://gitlab.com/group/sub/repo"),
        ("ssh://git@bitbucket.org:22/org/repo", "https://bitbucket.org/org/repo"),
        ("https://git.example.com/org/repo", ""),
        ("javascript:alert(1)//github.com/x", ""),
        ("/srv/git/repo.git", ""),
    ],
)
def test_only_remotes_of_known_hosts_are_links(remote, page):
    assert repository_url(remote) == page
    assert bool(commit_url(remote, SHA)) is bool(page)
    assert commit_url(remote, "main; rm -rf") == ""


def test_fields_and_tags_are_edited_by_who_may(client, run, member):
    edit, tag = url(run, "runs:run_edit"), url(run, "runs:run_tag")
    answer = client.post(
        edit, {"display_name": "better", "notes": "**bold**", "group": "g", "job_type": "eval"}
    )
    assert answer.json()["display_name"] == "better"
    assert client.post(tag, {"add": " new "}).json()["tags"] == ["new"]
    assert client.post(tag, {"add": "two"}).json()["tags"] == ["new", "two"]
    assert client.post(tag, {"remove": "new"}).json()["tags"] == ["two"]
    assert client.get(url(run, "runs:run_tags")).json() == {"tags": ["two"]}
    page = client.get(url(run, "runs:run_overview")).content.decode()
    assert "<strong>bold</strong>" in page
    assert client.post(edit, {"display_name": " "}).status_code == 400
    assert client.post(tag, {"add": "x" * 300}).status_code == 400
    client.force_login(make_member(run.project.team, Preset.VIEW_ONLY))
    assert client.post(edit, {"notes": "x"}).status_code == 403
    assert client.post(tag, {"add": "x"}).status_code == 403
    assert "data-begin-edit" not in client.get(url(run, "runs:run_overview")).content.decode()


def test_values_keep_their_types_and_full_precision():
    tree = {
        "a": 0.1 + 0.2,
        "b": 1,
        "c": True,
        "d": None,
        "e": {"f": [1, 2]},
        "g": float("nan"),
        "h": [{"x": "y"}],
    }
    nodes, found = nodes_of(tree)
    assert found == []
    assert nodes == [
        ["a", "float", "0.30000000000000004"], ["b", "int", "1"], ["c", "bool", "true"], ["d", "null", "null"],
        ["e", "dict", '{"f": [1, 2]}', [["f", "list", "[1, 2]"]]], ["g", "float", "NaN"],
        ["h", "list", '[{"x": "y"}]', [["0", "dict", '{"x": "y"}', [["x", "string", "y"]]]]],
    ]  # fmt: skip
    assert leaves_of(nodes, 6)[-1] == ("g", "NaN")
    assert leaves_of(nodes, 100)[-1] == ("h.0.x", "y")


def test_media_in_a_summary_are_said_in_words():
    """RUN-40: what a picture is, not the JSON that names its file; types that are not known stay as they are."""
    tree = {
        "film": {"_type": "videos", "count": 1, "videos": []},
        "one": {"_type": "image-file", "path": "a.png", "width": 64, "height": 48},
        "several": {"_type": "images/separated", "count": 3, "width": 8, "height": 8, "filenames": []},
        "growing": {"_type": "incremental-table-file", "nrows": 7, "ncols": 2, "path": "t"},
        "table": {"_type": "table-file", "nrows": 5, "ncols": 2, "path": "t"},
        "kept": {"_type": "joined-table", "artifact_path": "wandb-client-artifact://0a/t"},
        "unknown": {"_type": "new-file", "path": "x"},
    }
    assert nodes_of(tree)[0] == [
        ["film", "videos", "Video"], ["growing", "incremental-table-file", "Table, 7×2"],
        ["kept", "joined-table", "Table", None, "wandb-client-artifact://0a/t"], ["one", "image-file", "Image, 64×48"],
        ["several", "images/separated", "Image × 3, 8×8"], ["table", "table-file", "Table, 5×2"],
        ["unknown", "new-file", '{"_type": "new-file", "path": "x"}'],
    ]  # fmt: skip
    assert leaves_of(nodes_of(tree)[0], 3)[1:] == [("growing", "Table, 7×2"), ("kept", "Table")]


def test_five_thousand_keys_are_one_page(client, run, member, django_assert_max_num_queries):
    config: dict[str, dict[str, float]] = {f"group{n}": {} for n in range(50)}
    for n in range(5000):
        config[f"group{n % 50}"][f"key{n}"] = n * 0.1
    Run.objects.filter(pk=run.pk).update(config_text=json.dumps(config))
    with django_assert_max_num_queries(27):
        page = client.get(url(run, "runs:run_overview")).content.decode()
    assert "key4999" in page
    raw = client.get(url(run, "runs:run_values", "config"), {"raw": ""})
    assert json.loads(raw.content)["group49"]["key4999"] == 4999 * 0.1
    assert client.get(url(run, "runs:run_values", "secret")).status_code == 400


def test_alerts_and_bad_lines_are_listed(client, run, member):
    RunAlert.objects.create(run=run, title="loss is NaN", text="at step 3", level="ERROR")
    BadLine.objects.create(run=run, kind="history", text="{not json", reason="not JSON: line 1")
    Pulse.objects.filter(run=run).update(bad_lines=1)
    page = client.get(url(run, "runs:run_overview")).content.decode()
    for text in ["loss is NaN", "at step 3", "{not json", "not JSON: line 1"]:
        assert text in page


# -- timeline --------------------------------------------------------------------------------------------------------


def test_the_timeline_shows_gaps_and_resumes(run):
    """Wishes 1 to 5: a crash that was none is a gap without signal."""
    StateChange.objects.filter(run=run).delete()
    begin = timezone.now() - timedelta(hours=4)
    hours = [(RunState.RUNNING, 0), (RunState.CRASHED, 1), (RunState.RUNNING, 2), (RunState.FINISHED, 4)]
    for state, hour in hours:
        at = begin + timedelta(hours=hour)
        StateChange.objects.create(run=run, state=state, at=at, noticed_at=at + timedelta(minutes=5))
    line = timeline_of(run)
    assert [stretch.state for stretch in line.stretches] == ["running", "lost", "running", "finished"]
    assert line.lost_s == 3600
    assert line.resumes == 1
    assert [event.label for event in line.events] == ["Running", "Crashed", "Resumed", "Finished"]
    assert line.events[1].noticed_late_s == 300
    assert sum(stretch.width for stretch in line.stretches) == 1000
    assert line.stretches[1].width == pytest.approx(250, abs=2)


def test_a_silent_run_is_said_to_give_no_signal(client, run, member):
    """RUN-44: after 90 s, without another state."""
    head = url(run, "runs:run_head")
    assert "No signal" not in client.get(head).content.decode()
    Pulse.objects.filter(run=run).update(heartbeat_at=timezone.now() - timedelta(seconds=100))
    assert "No signal for 1m 40s" in client.get(head).content.decode()
    silent = Run.objects.select_related("pulse").get(pk=run.pk)
    assert timeline_of(silent).stretches[-1].state == "lost"
    assert silent.state == RunState.RUNNING


# -- secrets ---------------------------------------------------------------------------------------------------------


def test_secrets_are_masked_until_somebody_who_may_reveals_them(client, run, member):
    """Masked in config, command, log, search and previews; kept exactly in the store; revealing is audited."""
    write(run, ["2026-11-21T07:20:26.038634 export X=1", f"2026-11-21T07:20:26.038634 token {KEY} used"])
    add_run_file(run, "env.txt", f"HF={KEY}\n".encode())
    pages = [
        url(run, "runs:run_overview"), url(run, "runs:run_log_lines"), url(run, "runs:run_values", "config"),
        url(run, "runs:run_files") + "?preview=env.txt", url(run, "runs:run_values", "config") + "?raw",
    ]  # fmt: skip
    shown = [client.get(page).content.decode() for page in pages]
    assert not any(KEY in page for page in shown)
    assert all(MASK in page or "\\u2022" in page for page in shown)
    assert "looks like a secret" in shown[0]
    assert "hub.token" in shown[0]
    found = url(run, "runs:run_log_search")
    assert client.get(found, {"text": KEY[4:20]}).json()["lines"] == []
    assert client.get(found, {"text": "used"}).json()["lines"] == [1]
    log = body_of(client.get(url(run, "runs:run_log_download")))
    assert b"used" in log
    assert KEY.encode() not in log
    assert KEY in Run.objects.get(pk=run.pk).config_text

    assert client.post(url(run, "runs:run_reveal")).status_code == 302
    entry = AuditEntry.objects.get(action="run.reveal_secrets")
    assert (entry.user, entry.object_id) == (member, str(run.pk))
    assert all(KEY in client.get(page).content.decode() for page in pages)
    assert client.get(found, {"text": KEY}).json()["lines"] == [1]
    client.post(url(run, "runs:run_reveal"), {"hide": "1"})
    assert KEY not in client.get(pages[0]).content.decode()


def test_notes_are_masked_for_who_reads_and_kept_for_who_writes(client, run, member):
    Run.objects.filter(pk=run.pk).update(config_text="{}", config_flat={}, notes=f"run it with {KEY}")
    page = client.get(url(run, "runs:run_overview")).content.decode()
    assert f"run it with {KEY}</p>" not in page
    assert "looks like a secret" in page
    client.force_login(make_member(run.project.team, Preset.VIEW_ONLY))
    assert KEY not in client.get(url(run, "runs:run_overview")).content.decode()


def test_tables_of_many_runs_mask_secrets_too(run, member):
    [compared] = [part for part in compare_runs([run], with_equal=True) if part.title == "Config"]
    assert {line.key: line.values for line in compared.lines}["hub.token"] == [MASK]
    query = TableQuery(columns=("config.hub.token", "config.lr"))
    [row] = rows_of(actor(member), run.project, query).rows
    assert (row.cells["config.hub.token"].text, row.cells["config.lr"].value) == (MASK, 0.1)


def test_who_may_only_look_reveals_nothing_and_hears_no_warning(client, run):
    client.force_login(make_member(run.project.team, Preset.VIEW_ONLY))
    assert client.post(url(run, "runs:run_reveal")).status_code == 403
    page = client.get(url(run, "runs:run_overview")).content.decode()
    assert KEY not in page
    assert "looks like a secret" not in page


# -- logs ------------------------------------------------------------------------------------------------------------


def plain_search(lines, text):
    return [n for n, line in enumerate(lines) if line and text.lower() in line.lower()]


@pytest.mark.parametrize("text", ["overflow", "STEP 7", "12", "[ok]", "é", "none of this"])
def test_search_finds_what_a_plain_list_has(run, text, monkeypatch):
    """RUN-41: over gaps, escapes, overwritten lines and several steps."""
    monkeypatch.setattr(log_search, "WINDOW", 1500)
    shown = [f"step {n} overflow [ok]" if n % 97 == 0 else f"step {n} café" for n in range(4000)]
    lines = [
        f"2026-11-21T07:20:26.038634 \x1b[3{n % 8}m{line[:6]}\x1b[0m{line[6:]}"
        for n, line in enumerate(shown)
    ]
    write(run, lines[:2500])
    write(run, lines[2600:], 2600)
    write(run, ["2026-11-21T07:20:26.0 written over"], 10)
    shown[10] = "written over"
    shown[2500:2600] = [""] * 100  # never received
    assert search(run.pk, Needle(text), 0, 4000, revealed=False) == (plain_search(shown, text), 4000)
    assert search(run.pk, Needle(text), 3000, 4000, revealed=False)[0] == [
        n for n in plain_search(shown, text) if n >= 3000
    ]


def test_search_knows_expressions_capitals_and_progress_bars(run):
    write(run, ["2026-11-21T07:20:26.0 10%\r50%\r100% Done", "2026-11-21T07:20:26.0 done 5"])

    def found(text, **flags):
        return search(run.pk, Needle(text, **flags), 0, 2, revealed=False)[0]

    assert found("done") == [0, 1]
    assert found("done", is_exact=True) == [1]
    assert found(r"^done \d$", is_regex=True) == [1]
    assert found("50%") == []
    assert found("50%", raw=True) == [0]
    with pytest.raises(Invalid, match="Invalid regular expression"):
        found("(", is_regex=True)


@pytest.mark.parametrize(
    "escape",
    ["\x1b[?25l", "\x1b(B", "\x1b[38;5;1m", "\x1b[1", "\x1b", "\x1b]0;title\x07", "\x1b]8;;link"],
    ids=["hidden cursor", "character set", "color", "cut off", "alone", "title", "link that is cut off"],
)
def test_search_leaves_out_what_the_log_window_does(run, escape):
    """As assets/ts/logs/ansi.test.ts says of the window."""
    write(run, [f"2026-11-21T07:20:26.0 done{escape}", "2026-11-21T07:20:26.0 do\x1b[?25lne"])
    assert search(run.pk, Needle("done"), 0, 2, revealed=False)[0] == [0, 1]
    assert search(run.pk, Needle(r"[25]|\(B|title|link", is_regex=True), 0, 2, revealed=False)[0] == []


def test_a_long_search_is_done_in_steps(client, run, member, monkeypatch):
    LogBlock.objects.create(run=run, first_line=0, line_count=1000, payload=compress_lines(["x"] * 1000))
    Pulse.objects.filter(run=run).update(log_lines=50_000)
    monkeypatch.setattr(log_search, "STEP_S", 0)
    monkeypatch.setattr(time, "monotonic", iter(range(100)).__next__)
    answer = client.get(url(run, "runs:run_log_search"), {"text": "x"}).json()
    assert answer["scanned_to"] <= 10_000 < answer["total"]
    assert client.get(url(run, "runs:run_log_search"), {"text": "(", "regex": "1"}).status_code == 400


# -- files -----------------------------------------------------------------------------------------------------------


def test_thousands_of_files_are_shown_folder_by_folder(client, run, member, django_assert_max_num_queries):
    """RUN-41: a tree that opens where one looks."""
    blob = add_run_file(run, "top.txt").blob
    names = [f"media/images/{n % 4}/img{n:04}.png" for n in range(1000)] + [
        f"flat/{n:04}.bin" for n in range(450)
    ]
    RunFile.objects.bulk_create([RunFile(run=run, name=name, blob=blob, size_bytes=10) for name in names])
    page = url(run, "runs:run_files")
    with django_assert_max_num_queries(21):
        whole = client.get(page).content.decode()
    assert "top.txt" in whole
    assert "img0001" not in whole
    folder = folder_of(run, "flat/")
    assert (len(folder.files), folder.more_from) == (FILES_A_PAGE, FILES_A_PAGE)
    assert len(folder_of(run, "flat/", 400).files) == 50
    htmx = {"HX-Request": "true"}
    assert "img0001" in client.get(page, {"folder": "media/images/1/"}, headers=htmx).content.decode()
    found = client.get(page, {"search": "IMG0999"}, headers=htmx).content.decode()
    assert "img0999.png" in found
    assert "<html" not in found


def test_all_files_come_as_one_archive(client, run, member):
    add_run_file(run, "a/one.txt", b"one" * 1000)
    add_run_file(run, "two.png", b"\x89PNG")
    answer = client.get(url(run, "runs:run_files_zip"))
    with zipfile.ZipFile(io.BytesIO(body_of(answer))) as archive:
        assert archive.testzip() is None
        assert {name: archive.read(name) for name in archive.namelist()} == {
            "a/one.txt": b"one" * 1000, "two.png": b"\x89PNG"
        }  # fmt: skip


def test_files_are_deleted_by_who_may(client, run, member):
    add_run_file(run, "a.txt")
    add_run_file(run, "b.txt")
    assert client.post(url(run, "runs:run_files_delete"), {"name": "a.txt"}).status_code == 403
    client.force_login(make_member(run.project.team, Preset.ADMIN))
    assert client.post(url(run, "runs:run_files_delete"), {"name": "a.txt"}).status_code == 302
    assert list(RunFile.objects.filter(run=run).values_list("name", flat=True)) == ["b.txt"]


def test_all_in_a_folder_is_deleted(client, run, member, monkeypatch):
    for name in ("a/one.txt", "a/b/two.txt", "ab.txt", "c.txt"):
        add_run_file(run, name)
    client.force_login(make_member(run.project.team, Preset.ADMIN))
    page = client.get(url(run, "runs:run_files")).content.decode()
    assert 'name="folder" value="a/" data-count="2"' in page
    monkeypatch.setattr("runs.views.files._MOST_DELETED", 1)
    chosen = {"folder": ["a/", "a", ""]}
    refused = client.post(url(run, "runs:run_files_delete"), chosen, follow=True).content.decode()
    assert "At most 1 files can be deleted at once; 2 are selected." in refused
    monkeypatch.undo()
    client.post(url(run, "runs:run_files_delete"), chosen)
    assert set(RunFile.objects.filter(run=run).values_list("name", flat=True)) == {"ab.txt", "c.txt"}


def test_previews_say_what_a_file_is(client, run, member):
    add_run_file(run, "a.json", b'{"x":[1,2]}')
    add_run_file(run, "b.bin", b"\x00\x01")
    add_run_file(run, "c.mp3", b"ID3")
    page = url(run, "runs:run_files")

    def preview(name):
        return client.get(page, {"preview": name}, headers={"HX-Request": "true"}).content.decode()

    assert "&quot;x&quot;: [\n" in preview("a.json")
    assert "No preview" in preview("b.bin")
    assert "<audio" in preview("c.mp3")


def test_lineage_is_linked(client, run, member):
    fork = RunFactory(project=run.project, user=run.user)
    Run.objects.filter(pk=fork.pk).update(forked_from=run, forked_at_step=7)
    assert "at step 7" in client.get(url(fork, "runs:run_overview")).content.decode()
    assert lifecycle.path_of(fork) in client.get(url(run, "runs:run_overview")).content.decode()
