"""Tables that runs logged, paged from artifacts and files of runs (RUN-26, RUN-42, ART-4)."""

import json

import pytest
from django.urls import reverse

from access.actions import Preset
from access.actor import SYSTEM
from artifacts.tests.factories import make_version
from artifacts.versions.deletion import delete_version
from metrics.tests.ingest.test_ingest import post, send
from storage.filesystem import path_of
from storage.signed_urls import tickets
from tests.factories import ProjectFactory, RunFactory, TeamFactory, add_run_file, make_member
from tests.streams import body_of

pytestmark = pytest.mark.django_db

IMAGE = {"_type": "image-file", "path": "media/images/cat.png", "caption": "cat", "sha256": "0f"}
TOKEN = "hf_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z"


def of_run(columns, rows) -> bytes:
    """Return the file as the SDK writes it among the files of a run."""
    return json.dumps({"columns": columns, "data": rows}).encode()


def in_artifact(columns, rows) -> bytes:
    """Return the file as the SDK writes it into an artifact."""
    said = {"_type": "table", "columns": columns, "data": rows, "ncols": len(columns), "nrows": len(rows)}
    return json.dumps(said, sort_keys=True).encode()


@pytest.fixture
def project():
    return ProjectFactory(team=TeamFactory())


@pytest.fixture
def member(client, project):
    client.force_login(make_member(project.team))


def log_table(run, files, path="t.table.json", *, kind="table-file", file_of_run=""):
    """Log a table as SDK 0.31 does: an artifact, and a value in history that names it by the client's id."""
    client_id = f"client-{run.uid}"
    version = make_version(
        run.project, f"run-{run.uid}-t", files, type_name="run_table", run=run, client_id=client_id
    )
    reference = f"wandb-client-artifact://{client_id}/{path}"
    log_value(run, {"_type": kind, "artifact_path": reference, "path": file_of_run})
    return version


def log_value(run, value, step=0):
    row = {"_step": step, "_timestamp": 10.0 + step, "_runtime": float(step), "t": value}
    send(post(run, history=(step, [row])))


def ask(client, runs, **query):
    project = runs[0].project
    address = reverse("metrics:project_tables", args=[project.team.name, project.name])
    answer = client.get(address, {"run": [run.uid for run in runs], "key": "t"} | query)
    assert answer.status_code == 200, answer.content
    return answer.json()


def served(url) -> bytes:
    """Return what is at a signed address."""
    return path_of(tickets.read_get(url.split("/")[3])["l"]).read_bytes()


def cells(reply):
    return [row["cells"] for row in reply["rows"]]


@pytest.mark.usefixtures("member")
class TestOneRun:
    def test_a_page_comes_from_the_artifact_with_addresses_of_its_pictures(self, client, project):
        """ART-4: and the page that previews the file."""
        run = RunFactory(project=project)
        files = {
            "t.table.json": in_artifact(["id", "img"], [["a", IMAGE], ["b", None]]),
            "media/images/cat.png": b"png",
        }
        log_table(run, files)
        reply = ask(client, [run])
        (row, other) = cells(reply)
        assert row[0] == "a"
        assert (row[1][0]["kind"], row[1][0]["caption"]) == ("image", "cat")
        assert served(row[1][0]["url"]) == b"png"
        assert other == ["b", None]
        page = client.get(reply["tables"][0]["page"])
        assert "t.table.json" in page.content.decode()

    def test_what_browsers_do_not_show_is_offered_with_its_size(self, client, project):
        run = RunFactory(project=project)
        page = {"_type": "html-file", "path": "media/html/a.html", "sha256": "0f"}
        gone = {**page, "path": "media/html/gone.html"}
        files = {"t.table.json": in_artifact(["page"], [[page], [gone]]), "media/html/a.html": b"<p>a</p>"}
        log_table(run, files)
        ((found,), (missing,)) = (row[0] for row in cells(ask(client, [run])))
        assert (found["kind"], found["type"], found["size"]) == ("html", "", 8)
        assert served(found["url"]) == b"<p>a</p>"
        assert missing["url"] == ""

    def test_what_the_overview_names_leads_to_the_file_and_else_to_the_tab(self, client, project):
        """RUN-40: the reference of the summary, which only names a client's id."""
        run = RunFactory(project=project)
        log_table(run, {"t.table.json": in_artifact(["n"], [[1]])})
        names = [project.team.name, project.name, run.uid]
        address = reverse("artifacts:run_file", args=names)
        page = ask(client, [run])["tables"][0]["page"]
        reference = f"wandb-client-artifact://client-{run.uid}/t.table.json"
        assert client.get(address, {"reference": reference}).url == page
        for unknown in ("wandb-client-artifact://other/t.table.json", "wandb-artifact://zz/t", "", "t"):
            answer = client.get(address, {"reference": unknown})
            assert answer.url == reverse("artifacts:run_artifacts", args=names)

    def test_only_the_rows_of_a_page_are_sent(self, client, project):
        run = RunFactory(project=project)
        log_table(run, {"t.table.json": in_artifact(["n"], [[n] for n in range(120)])})
        first, last = ask(client, [run]), ask(client, [run], offset=100)
        assert (len(first["rows"]), first["total"], first["next"], first["previous"]) == (50, 120, 50, None)
        assert (cells(last)[0], len(last["rows"]), last["next"]) == ([100], 20, None)

    def test_rows_are_sorted_searched_and_filtered(self, client, project):
        run = RunFactory(project=project)
        log_table(run, {"t.table.json": in_artifact(["n", "s"], [[2, "cat"], [1, "dog"], [3, "Cat"]])})
        assert cells(ask(client, [run], sort="-n", find="cat")) == [[3, "Cat"], [2, "cat"]]
        assert cells(ask(client, [run], column="n", op="<", value="2")) == [[1, "dog"]]
        assert "no column x" in ask(client, [run], sort="x")["problem"]

    def test_rows_meet_all_conditions(self, client, project):
        """RUN-26: each has a column; a regular expression is one, too."""
        run = RunFactory(project=project)
        log_table(
            run, {"t.table.json": in_artifact(["n", "s"], [[2, "cat"], [1, "dog"], [3, "cow"], [4, "c"]])}
        )

        def met(*conditions):
            return ask(client, [run], where=json.dumps(conditions))

        reply = met(["s", "matches", "^c.."], ["n", ">", "2"])
        assert (cells(reply), reply["total"]) == ([[3, "cow"]], 1)
        assert "valid RE2" in met(["s", "matches", "("])["problem"]
        assert "no column x" in met(["x", "=", "1"])["problem"]
        assert all("Each condition" in met(wrong)["problem"] for wrong in ("n", ["n", "~", "1"], 1))

    def test_values_that_json_has_no_word_for(self, client, project):
        run = RunFactory(project=project)
        cells_of_all_kinds = [[2**70, float("nan")], ["a\ud800", True], [None, {"a": [1]}]]
        log_table(run, {"t.table.json": in_artifact(["a", "b"], cells_of_all_kinds)})
        assert cells(ask(client, [run])) == [[str(2**70), "NaN"], ["a?", True], [None, '{"a": [1]}']]
        assert [group["text"] for group in ask(client, [run], group="a")["groups"]] == [str(2**70), "a?", ""]

    @pytest.mark.parametrize("kind", ["joined-table", "partitioned-table"])
    def test_tables_that_have_no_file_of_the_run(self, client, project, kind):
        """Their values say where the artifact is, and nothing else."""
        run = RunFactory(project=project)
        files = {
            "a.table.json": in_artifact(["id", "x"], [[1, "l"]]),
            "b.table.json": in_artifact(["id", "y"], [[1, "r"]]),
            "t.joined-table.json": json.dumps(
                {"table1": "a.table.json", "table2": "b.table.json", "join_key": "id"}
            ).encode(),
            "parts/0.table.json": in_artifact(["id", "x", "y"], [[1, "l", "r"]]),
            "t.partitioned-table.json": json.dumps({"parts_path": "parts"}).encode(),
        }
        log_table(run, files, f"t.{kind}.json", kind=kind)
        assert cells(ask(client, [run])) == [[1, "l", "r"]]

    def test_a_reference_by_the_id_of_a_version(self, client, project):
        run = RunFactory(project=project)
        version = make_version(project, "made", {"t.table.json": in_artifact(["n"], [[7]])})
        name = f"Artifact:{version.pk}".encode().hex()
        log_value(run, {"_type": "table-file", "artifact_path": f"wandb-artifact://{name}/t.table.json"})
        assert cells(ask(client, [run])) == [[7]]

    def test_a_table_in_increments_is_whole(self, client, project):
        run = RunFactory(project=project)
        files = {
            "0-10.t.table.json": in_artifact(["n"], [[0]]),
            "10-12.t.table.json": in_artifact(["n"], [[2]]),
            "9-11.t.table.json": in_artifact(["n"], [[1]]),
            "0-10.other.table.json": in_artifact(["n"], [[9]]),
        }
        make_version(project, "incr", files, type_name="wandb-run-incremental-table", run=run, client_id="c1")
        reference = "wandb-client-artifact://c1/10-12.t.table.json"
        log_value(run, {"_type": "incremental-table-file", "artifact_path": reference})
        assert cells(ask(client, [run])) == [[0], [1], [2]]

    def test_a_deleted_artifact_leaves_the_file_of_the_run(self, client, project):
        run = RunFactory(project=project)
        add_run_file(run, "media/table/t.table.json", of_run(["n"], [["of the run"]]))
        files = {"t.table.json": in_artifact(["n"], [["of the artifact"]])}
        version = log_table(run, files, file_of_run="media/table/t.table.json")
        assert cells(ask(client, [run])) == [["of the artifact"]]
        delete_version(actor=SYSTEM, version=version, with_aliases=True)
        reply = ask(client, [run])
        assert (cells(reply), reply["tables"][0]["page"]) == ([["of the run"]], "")

    def test_a_table_that_is_nowhere_is_explained(self, client, project):
        run = RunFactory(project=project)
        log_value(run, {"_type": "table-file", "path": "media/table/gone.table.json"})
        reply = ask(client, [run])
        assert (reply["columns"], "was never uploaded" in reply["tables"][0]["problem"]) == ([], True)

    def test_one_of_several_tables_at_one_step_and_steps_before(self, client, project):
        run = RunFactory(project=project)
        for name in "abc":
            add_run_file(run, f"media/table/{name}.table.json", of_run(["n"], [[name]]))
        one, two, three = (
            {"_type": "table-file", "path": f"media/table/{name}.table.json"} for name in "abc"
        )
        log_value(run, [one, two], step=0)
        log_value(run, three, step=1)
        names = [project.team.name, project.name, run.uid]
        address = reverse("metrics:media_table", args=names)

        def found(**query):
            return cells(client.get(address, {"key": "t"} | query).json())

        assert found() == [["c"]]
        assert found(step=0) == [["a"]]
        assert found(step=0, file="media/table/b.table.json") == [["b"]]

    def test_the_id_of_a_client_means_nothing_in_another_project(self, client, project):
        """Whoever learns the id of a client can log an artifact under it elsewhere, and is not believed here."""
        run = RunFactory(project=project)
        elsewhere = ProjectFactory(team=project.team)
        files = {"t.table.json": in_artifact(["n"], [["forged"]])}
        make_version(elsewhere, "forged", files, type_name="run_table", client_id="c1")
        log_value(run, {"_type": "table-file", "artifact_path": "wandb-client-artifact://c1/t.table.json"})
        assert ask(client, [run])["rows"] == []


@pytest.fixture
def pair(project):
    """Runs of one name whose tables share a column."""
    runs = [RunFactory(project=project, uid=uid, display_name="same") for uid in ("one", "two")]
    log_table(runs[0], {"t.table.json": in_artifact(["k", "run"], [["x", 1], ["y", 2]])})
    files = {"t.table.json": in_artifact(["k", "img"], [["x", IMAGE]]), "media/images/cat.png": b"of two"}
    log_table(runs[1], files)
    return runs


@pytest.mark.usefixtures("member")
class TestSeveralRuns:
    def test_rows_say_their_run_under_the_columns_of_all(self, client, pair):
        """RUN-26: a column of the table that is called as that of runs stays what it is."""
        reply = ask(client, pair)
        assert reply["columns"] == ["run (2)", "k", "run", "img"]
        assert [row["run"] for row in reply["rows"]] == ["one", "one", "two"]
        assert cells(reply)[:2] == [["x", 1, None], ["y", 2, None]]
        assert served(cells(reply)[2][2][0]["url"]) == b"of two"

    def test_they_are_sorted_and_paged_together(self, client, pair):
        rows = ask(client, pair, sort="-k")["rows"]
        assert [(row["run"], row["cells"][0]) for row in rows] == [("one", "y"), ("one", "x"), ("two", "x")]
        assert [row["run"] for row in ask(client, pair, offset=2)["rows"]] == ["two"]

    def test_groups_by_a_column_and_by_run(self, client, pair):
        by_column = ask(client, pair, group="k", sort="-")
        assert [(group["text"], group["count"]) for group in by_column["groups"]] == [("x", 2), ("y", 1)]
        assert by_column["groups"][0]["numbers"] == {"run": [1, 1, 1]}
        by_run = ask(client, pair, by_run="1")
        assert [(group["run"], group["count"]) for group in by_run["groups"]] == [("one", 2), ("two", 1)]
        text = by_run["groups"][0]["text"]
        assert cells(ask(client, pair, column=by_run["group"], op="=", value=text)) == [
            ["x", 1, None], ["y", 2, None],
        ]  # fmt: skip

    def test_a_damaged_table_is_named_and_the_others_are_shown(self, client, pair, project):
        broken = RunFactory(project=project)
        log_table(broken, {"t.table.json": b"{"})
        reply = ask(client, [*pair, broken])
        assert len(reply["rows"]) == 3
        assert "JSON" in reply["tables"][2]["problem"]

    def test_all_rows_as_csv(self, client, pair, project):
        address = reverse("metrics:project_tables_csv", args=[project.team.name, project.name])

        def answered(**query):
            return client.get(address, {"run": ["one", "two"], "key": "t"} | query)

        assert body_of(answered(find="x")).decode().split() == [
            "run", "(2),k,run,img", "same", "(one),x,1,", "same", "(two),x,,cat",
        ]  # fmt: skip

        assert body_of(answered(where='[["k","=","y"]]')).decode().split()[-1] == "(one),y,2,"
        refused = answered(where='[["nothing","=","y"]]')
        assert (refused.status_code, "no column nothing" in refused.content.decode()) == (400, True)

    def test_a_step_chooses_the_tables(self, client, project):
        """RUN-26: the steps of all runs are there to choose from."""
        run, other = RunFactory(project=project), RunFactory(project=project)
        for step in (0, 5):
            add_run_file(run, f"media/table/{step}.table.json", of_run(["n"], [[step]]))
            log_value(run, {"_type": "table-file", "path": f"media/table/{step}.table.json"}, step=step)
        log_value(other, {"_type": "table-file", "path": "media/table/none.table.json"}, step=7)
        newest, first = ask(client, [run, other], with_steps=1), ask(client, [run, other], step=4)
        assert (newest["steps"], cells(newest)) == ([0, 5, 7], [[5]])
        assert ("steps" in first, cells(first)) == (False, [[0]])

    def test_the_queries_do_not_grow_with_the_pages(self, client, pair, django_assert_max_num_queries):
        with django_assert_max_num_queries(29):
            ask(client, pair, offset=1)


def test_who_may_not_download_reads_the_file_of_the_run_with_secrets_masked(client, project):
    """TEAM-21: the artifact is for those who may download it; a search does not find what is masked either."""
    run = RunFactory(project=project)
    add_run_file(run, "media/table/t.table.json", of_run(["s"], [[f"token {TOKEN}"], ["plain"]]))
    files = {"t.table.json": in_artifact(["s"], [[f"of the artifact {TOKEN}"]])}
    log_table(run, files, file_of_run="media/table/t.table.json")
    client.force_login(make_member(project.team, Preset.VIEW_ONLY))
    reply = ask(client, [run])
    assert TOKEN not in json.dumps(reply)
    assert [row[0].split()[0] for row in cells(reply)] == ["token", "plain"]
    assert reply["tables"][0]["page"] == ""
    assert cells(ask(client, [run], find=TOKEN[:12])) == []


def test_who_may_not_download_is_told_where_the_run_has_no_file(client, project):
    run = RunFactory(project=project)
    log_table(run, {"t.table.json": in_artifact(["s"], [["x"]])})
    client.force_login(make_member(project.team, Preset.VIEW_ONLY))
    reply = ask(client, [run])
    assert (reply["rows"], "permission" in reply["tables"][0]["problem"]) == ([], True)


def test_strangers_find_nothing(client, project):
    run = RunFactory(project=project)
    client.force_login(make_member(TeamFactory()))
    names = [project.team.name, project.name]
    assert client.get(reverse("metrics:project_tables", args=names), {"run": run.uid}).status_code == 404
    assert client.get(reverse("metrics:media_table", args=[*names, run.uid])).status_code == 404


@pytest.mark.usefixtures("member")
class TestJoined:
    """RUN-26: tables of several runs side by side."""

    def test_rows_with_one_key_stand_in_one_line_and_columns_say_their_run(self, client, project):
        first, second = (RunFactory(project=project, uid=uid, display_name=uid) for uid in ("a", "b"))
        log_table(first, {"t.table.json": in_artifact(["id", "guess"], [[1, "cat"], [2, "dog"]])})
        log_table(second, {"t.table.json": in_artifact(["guess", "id"], [["cow", 2], ["hen", 3]])})
        reply = ask(client, [first, second], join="id")
        assert reply["columns"] == ["id", "guess · a", "guess · b"]
        assert reply["heads"] == [
            {"run": "", "name": "id"}, {"run": "a", "name": "guess"}, {"run": "b", "name": "guess"},
        ]  # fmt: skip
        assert cells(reply) == [[1, "cat", None], [2, "dog", "cow"], [3, None, "hen"]]
        narrowed = ask(client, [first, second], join="id", where='[["guess · b", "not empty", ""]]')
        assert cells(narrowed) == [[2, "dog", "cow"], [3, None, "hen"]]
        sorted_ = ask(client, [first, second], join="id", sort="-id")
        assert [row[0] for row in cells(sorted_)] == [3, 2, 1]

    def test_pictures_come_from_the_version_of_their_run(self, client, project):
        runs = [RunFactory(project=project, uid=uid, display_name=uid) for uid in ("a", "b")]
        for run in runs:
            image = run.uid.encode()
            table = in_artifact(["id", "image"], [[1, IMAGE]])
            log_table(run, {"t.table.json": table, "media/images/cat.png": image})
        [[_key, *images]] = cells(ask(client, runs, join="id"))
        assert [served(image[0]["url"]) for image in images] == [b"a", b"b"]

    def test_what_cannot_be_joined_is_explained(self, client, project):
        runs = [RunFactory(project=project, uid=f"r{number}") for number in range(9)]
        for run in runs:
            log_table(run, {"t.table.json": in_artifact(["id"], [[1]])})
        reply = ask(client, runs[:2], join="nothing")
        assert "has no column nothing" in reply["problem"]
        assert cells(reply) == [[1], [1]]  # shown one after the other, so that something else can be chosen
        assert "At most 8 tables can be joined; these are 9." in ask(client, runs, join="id")["problem"]
        assert cells(ask(client, runs[:1], join="id")) == [[1]]  # a single one is shown as it is

    def test_as_csv(self, client, project):
        runs = [RunFactory(project=project, uid=uid, display_name=uid) for uid in ("a", "b")]
        for run in runs:
            log_table(run, {"t.table.json": in_artifact(["id", "x"], [[1, run.uid]])})
        address = reverse("metrics:project_tables_csv", args=[project.team.name, project.name])
        answer = client.get(address, {"run": ["a", "b"], "key": "t", "join": "id"})
        assert body_of(answer).decode().splitlines() == ["id,x · a,x · b", "1,a,b"]
