"""What code panels compare over runs (RUN-26)."""

import json

import pytest
from django.urls import reverse

from metrics.tests.typescript import run_typescript
from runs.code import versions
from runs.code.versions import compare_lines
from tests.factories import ProjectFactory, RunFactory, TeamFactory, add_run_file, make_member

pytestmark = pytest.mark.django_db

OLD, NEW = "import torch\nepochs = 60\ntrain(epochs)\n", "import torch\nepochs = 90\ntrain(epochs)\nsave()\n"


def saved(project, **files):
    told = {"program": "train.py", "os": "Linux"}
    run = RunFactory(project=project, config_text=json.dumps({"_wandb": {"value": {"e": {"w": told}}}}))
    for name, text in files.items():
        add_run_file(run, f"code/{name}.py", text.encode())
    return run


@pytest.fixture
def project():
    return ProjectFactory(team=TeamFactory())


@pytest.fixture
def compare(client, project):
    client.force_login(make_member(project.team))

    def ask(*runs, **query):
        address = reverse("metrics:project_code_versions", args=[project.team.name, project.name])
        return client.get(address, {"run": [run.uid for run in runs]} | query).json()

    return ask


def test_runs_with_the_same_program_are_one_version(compare, project):
    first, second, third = (saved(project, train=text, data="") for text in (OLD, NEW, OLD))
    without = RunFactory(project=project)
    found = compare(first, second, third, without)
    assert (found["file"], found["files"]) == ("train.py", ["data.py", "train.py"])
    assert found["versions"] == [[first.uid, third.uid], [second.uid]]
    assert found["missing"] == [without.uid]
    assert [(text["text"], text["language"]) for text in found["pair"]] == [(OLD, "python"), (NEW, "python")]


def test_lines_that_differ_are_found(compare, project):
    found = compare(saved(project, train=OLD), saved(project, train=NEW))
    assert [(block["kind"], block["before"], block["after"]) for block in found["blocks"]] == [
        ("same", [0, 1], [0, 1]),
        ("changed", [1, 2], [1, 2]),
        ("same", [2, 3], [2, 3]),
        ("added", [3, 3], [3, 4]),
        ("same", [3, 4], [4, 5]),
    ]


def test_any_two_versions_and_any_file_can_be_compared(compare, project):
    runs = [saved(project, train=f"n = {number}\n", data="same\n") for number in range(3)]
    chosen = compare(*runs, left=runs[2].uid, right=runs[0].uid)
    assert [text["text"] for text in chosen["pair"]] == ["n = 2\n", "n = 0\n"]
    same = compare(*runs, file="data.py")
    assert (len(same["pair"]), same["blocks"]) == (1, None)
    none = compare(*runs, file="other.py")
    assert (none["pair"], len(none["missing"])) == ([], 3)


def test_secrets_are_masked_and_runs_of_other_projects_left_out(compare, project):
    key = "hf_" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3z"
    mine, foreign = saved(project, train=f"TOKEN = '{key}'\n"), saved(ProjectFactory(), train="secret()\n")
    found = compare(mine, foreign)
    assert found["versions"] == [[mine.uid]]
    assert key not in found["pair"][0]["text"]


def test_only_the_first_runs_are_compared(compare, project, monkeypatch):
    monkeypatch.setattr(versions, "MOST_RUNS", 2)
    runs = [saved(project, train=OLD) for _ in range(3)]
    found = compare(*runs)
    assert (found["versions"], found["most_runs"]) == ([[run.uid for run in runs[:2]]], 2)


def test_long_texts_are_not_compared():
    assert compare_lines("\n" * versions.MOST_LINES, "") is None


_FOLD = """
const { folded, rowsOf } = await import("./assets/ts/panels/code/lines.ts");
const [length, isFirst, isLast] = JSON.parse(process.argv[1]);
const rows = rowsOf({ kind: "same", before: [0, length], after: [5, 5 + length] });
const numbers = (part) => part.map(({ before, after }) => [before, after]);
console.log(JSON.stringify(folded(rows, isFirst, isLast).map(numbers)));
"""


def test_equal_lines_between_differences_are_folded():
    begin, hidden, end = run_typescript(_FOLD, [12, False, False])
    assert (begin, hidden[0], end) == ([[0, 5], [1, 6], [2, 7]], [3, 8], [[9, 14], [10, 15], [11, 16]])
    assert [len(part) for part in run_typescript(_FOLD, [12, True, False])] == [0, 9, 3]
    assert [len(part) for part in run_typescript(_FOLD, [9, False, False])] == [9, 0, 0]
