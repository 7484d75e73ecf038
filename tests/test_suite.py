"""What each pass of the suite runs, and in which order: rules of `tests.suite`."""

import os
import subprocess
import sys
import tomllib
from dataclasses import dataclass, field
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import settings

from config import env
from tests import plugin
from tests.suite import budget, checkout, dialect, examples, order, passes, rotation
from tests.suite.checkout import ROOT
from tests.suite.passes import FIFTHS, Pass, amount, fifth_of, select, share
from tests.suite.schedule import FilesInBrowser, Schedule
from tests.suite.typescript import SKIPPED, TypeScriptTests

ArgsSource = pytest.Config.ArgsSource


@dataclass(frozen=True)
class Item:
    """As much of a collected test as the rules ask for."""

    nodeid: str
    marks: tuple[str, ...] = ()
    fixturenames: tuple[str, ...] = ()

    def get_closest_marker(self, name: str) -> pytest.Mark | None:
        argument = 90 if name == "takes" else "a reason"
        mark: pytest.Mark = getattr(pytest.mark, name)(argument).mark
        return mark if name in self.marks else None


EXHAUSTIVE = Item("a.py::exhaustive", ("exhaustive", "django_db"))
PLAIN = Item("a.py::plain")
STORED = Item("a.py::stored", ("django_db",))
BY_FIXTURE = Item("a.py::by_fixture", (), ("db",))
BROWSER = Item("b.py::page", ("browser",), ("server",))
DIALECT = Item("c.py::query", ("django_db", "dialect"))
RACE = Item("d.py::race", ("django_db", "races"))
ON_ONE = Item("k.py::without_sqlite", ("processes", "races", "skipif"), ("new_server",))
TURNS = [Item(f"t.py::page{number}", ("browser", "turns"), ("server",)) for number in range(20)]
THROUGH_SERVERS = [Item(f"e{number}.py::test", ("sdk",), ("server",)) for number in range(20)]
CHANGING = [Item(f"c{number}.py::test", ("sdk", "dialect"), ("server",)) for number in range(20)]
IN_PROCESS = [Item(f"f{number}.py::test", ("django_db",)) for number in range(20)]
COMMITS = Item("g.py::commits", (), ("db", "transactional_db"))
LISTED = Item("h.py::test[case]", ("django_db",))
ROTATING = [STORED, BY_FIXTURE, *THROUGH_SERVERS, *IN_PROCESS]
ALL = [EXHAUSTIVE, PLAIN, BROWSER, DIALECT, RACE, COMMITS, LISTED, ON_ONE, *ROTATING, *CHANGING, *TURNS]


def chosen(
    monkeypatch: pytest.MonkeyPatch, current: Pass, number: int = 0, *, is_named: bool = False
) -> list[Item]:
    monkeypatch.setattr(passes, "CURRENT", current)
    monkeypatch.setattr(passes, "listed", lambda: {"h.py::test"})
    monkeypatch.setattr(passes, "turn", lambda _what, of: number % of)
    monkeypatch.setenv(rotation.NAMED_VARIABLE, "1" if is_named else "")
    items = list(ALL)
    select(items)  # type: ignore[arg-type]
    return items


def test_the_gate_runs_all_but_the_exhaustive_and_pages(monkeypatch: pytest.MonkeyPatch) -> None:
    left_out = [EXHAUSTIVE, BROWSER, *TURNS]
    assert chosen(monkeypatch, Pass.GATE, is_named=True) == [item for item in ALL if item not in left_out]


@pytest.mark.parametrize("number", range(10))
def test_what_waits_for_other_processes_runs_in_one_pass(
    monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    passes_of_the_gate = [chosen(monkeypatch, current, number) for current in (Pass.GATE, Pass.SECOND)]
    for item in (*CHANGING, *THROUGH_SERVERS):
        assert sum(item in of_pass for of_pass in passes_of_the_gate) == 1
    assert all(ON_ONE in of_pass for of_pass in passes_of_the_gate)


def test_what_waits_and_can_differ_changes_places_with_each_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    halves = [set(chosen(monkeypatch, Pass.SECOND, number)) & set(CHANGING) for number in range(2)]
    assert halves[0] | halves[1] == set(CHANGING)
    assert all(halves)


def test_tests_that_take_turns_have_all_run_after_five(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [set(chosen(monkeypatch, Pass.SECOND, number)) & set(TURNS) for number in range(FIFTHS)]
    assert sum(map(len, found)) == len(TURNS) == len(set().union(*found))
    assert set(TURNS) < set(chosen(monkeypatch, Pass.SECOND, is_named=True))


@pytest.mark.parametrize("current", list(Pass))
def test_only_the_complete_pass_tries_examples_that_are_new(
    monkeypatch: pytest.MonkeyPatch, current: Pass
) -> None:
    monkeypatch.setattr(examples, "CURRENT", current)
    try:
        examples.choose()
        assert settings().derandomize is (current is not Pass.ALL)
        assert settings().deadline is None
    finally:
        monkeypatch.undo()
        examples.choose()


def test_pages_are_a_pass_of_their_own(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen(monkeypatch, Pass.BROWSER) == [BROWSER, *TURNS]


def test_the_complete_pass_runs_all(monkeypatch: pytest.MonkeyPatch) -> None:
    assert chosen(monkeypatch, Pass.ALL) == ALL


def test_a_second_database_gets_what_can_differ(monkeypatch: pytest.MonkeyPatch) -> None:
    found = chosen(monkeypatch, Pass.SECOND)
    others = [item for item in found if item not in (*ROTATING, *CHANGING, *TURNS)]
    assert others == [BROWSER, DIALECT, RACE, COMMITS, LISTED, ON_ONE]


def test_the_fifths_are_all_together_and_share_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    found = [set(chosen(monkeypatch, Pass.SECOND, fifth)) & set(ROTATING) for fifth in range(FIFTHS)]
    assert sum(map(len, found)) == len(ROTATING)
    assert set().union(*found) == set(ROTATING)
    assert all(found)


@pytest.mark.parametrize(
    ("differ", "left"),
    [
        ([], ["s/test_a.py", "s/test_c.py"]),
        (["s/test_c.py"], ["s/test_a.py"]),
        (["app/models.py"], []),
    ],
    ids=["no changes", "a file of tests differs", "the sources differ"],
)
def test_suites_take_turns_while_their_sources_stay_the_same(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, differ: list[str], left: list[str]
) -> None:
    (tmp_path / "s").mkdir()
    for name in "abcd":
        (tmp_path / "s" / f"test_{name}.py").touch()
    suite = rotation.Suite("some", "s", 2, sources=("app",), always=("s/test_d.py",))
    monkeypatch.setattr(rotation, "ROOT", tmp_path)
    monkeypatch.setattr(rotation, "suites", lambda: [suite])
    monkeypatch.setattr(rotation, "turn", lambda _what, _of: 1)
    monkeypatch.delenv(rotation.NAMED_VARIABLE, raising=False)
    monkeypatch.setattr(
        rotation, "changed", lambda *paths: {name for name in differ if name.startswith(tuple(paths))}
    )
    files = [f"s/test_{name}.py" for name in "abcd"]
    assert [file for file in files if rotation.left_out_with.__wrapped__(file)] == left


def test_the_list_of_suites_names_what_is_there() -> None:
    for suite in rotation.suites():
        assert len(suite.files()) >= suite.turns, suite
        named = [name.removeprefix(":!") for name in (*suite.always, *suite.sources) if "*" not in name]
        assert [name for name in named if not (ROOT / name).exists()] == []


def test_a_file_that_is_named_runs_whenever_its_turn_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(rotation.NAMED_VARIABLE, "1")
    for suite in rotation.suites():
        assert [file for file in suite.files() if rotation.left_out_with.__wrapped__(file)] == []


def test_without_git_or_old_commits_all_of_every_suite_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rotation, "base", lambda: None)
    assert rotation.changed.__wrapped__("agent/tests") is None
    monkeypatch.delenv(rotation.NAMED_VARIABLE, raising=False)
    monkeypatch.setattr(rotation, "changed", lambda *_patterns: None)
    for suite in rotation.suites():
        assert [file for file in suite.files() if rotation.left_out_with.__wrapped__(file)] == []


def test_what_was_committed_half_a_day_before_has_passed_the_gate(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(checkout, "ROOT", tmp_path)
    for variable in ("AUTHOR_NAME", "AUTHOR_EMAIL", "COMMITTER_NAME", "COMMITTER_EMAIL"):
        monkeypatch.setenv(f"GIT_{variable}", "ada@example.com")
    checkout.git("init", "--quiet")
    for name, hour in (("old", 0), ("landed", 7), ("this morning", 10), ("now", 20)):
        (tmp_path / name).touch()
        checkout.git("add", ".")
        monkeypatch.setenv("GIT_COMMITTER_DATE", f"2026-11-29T{hour:02}:00:00+00:00")
        checkout.git("commit", "--quiet", "-m", name)
    (tmp_path / "not committed").touch()
    rotation.base.cache_clear()
    try:
        assert rotation.changed.__wrapped__(".") == frozenset({"this morning", "now", "not committed"})
        assert rotation.changed.__wrapped__("old") == frozenset()
    finally:
        rotation.base.cache_clear()


def test_each_process_of_the_suite_has_a_data_folder_of_its_own() -> None:
    """`config.env` reads where it is once, so nothing may import it before the plugin has set the variable."""
    assert plugin.HOME.resolve() == env.HOME


def test_turns_of_different_things_are_independent_and_can_be_chosen(monkeypatch: pytest.MonkeyPatch) -> None:
    pairs = set()
    for number in range(200):
        monkeypatch.setattr(checkout, "turn_name", lambda number=number: f"commit{number}")
        pairs.add((checkout.turn("fifths", 5), checkout.turn("agent", 5)))
    assert len(pairs) == 25
    monkeypatch.setattr(checkout, "turn_name", lambda: "13")
    assert (checkout.turn("fifths", 5), checkout.turn("agent", 5)) == (3, 3)


def test_tests_of_one_file_are_of_one_fifth() -> None:
    assert fifth_of(Item("e.py::one")) == fifth_of(Item("e.py::two[x::y]"))  # type: ignore[arg-type]


def test_what_is_left_out_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "CURRENT", Pass.GATE)
    monkeypatch.setattr(passes, "reduced", {})
    monkeypatch.setattr(passes, "turn_name", lambda: "0123456789ab")
    assert amount("kills", 2, 100) == 2
    left = select([EXHAUSTIVE, PLAIN])  # type: ignore[list-item]
    assert passes.describe(left, passes.reduced) == [
        "Left to `make test-all`:",
        "  1 test: a reason",
        "  kills: 2 of 100",
        "The same tests again: RUNYARD_TEST_PASS=gate RUNYARD_TEST_TURN=0123456789ab make test",
    ]


def test_the_complete_pass_does_all_of_everything(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(passes, "CURRENT", Pass.ALL)
    assert amount("kills", 2, 100) == 100


def test_a_second_database_gets_a_fifth_of_the_cases(monkeypatch: pytest.MonkeyPatch) -> None:
    cases = list(range(12))
    monkeypatch.setattr(passes, "reduced", {})
    monkeypatch.setattr(passes, "current_fifth", lambda: 1)
    for current, expected in ((Pass.GATE, cases), (Pass.BROWSER, cases), (Pass.SECOND, [1, 6, 11])):
        monkeypatch.setattr(passes, "CURRENT", current)
        assert share("cases", cases) == expected
        is_of_the_gate = current in {Pass.GATE, Pass.SECOND}
        assert share("cases", cases, in_both=True) == ([1, 6, 11] if is_of_the_gate else cases)


def test_long_files_come_first_and_those_with_a_browser_last_as_a_whole() -> None:
    items = [
        Item("mixed.py::page", ("browser",)),
        Item("mixed.py::other", ("faults",)),
        Item("long.py::page", ("browser", "takes")),
        PLAIN,
        Item("kills.py::kill", ("faults",)),
        Item("a.py::plain2"),
    ]
    ordered = sorted(items, key=order.key(items))  # type: ignore[arg-type]
    assert [item.nodeid.partition("::")[0] for item in ordered] == [
        "kills.py",
        "a.py",
        "a.py",
        "long.py",
        "mixed.py",
        "mixed.py",
    ]


@pytest.mark.parametrize(
    ("source", "option", "is_whole"),
    [
        (ArgsSource.TESTPATHS, {"tx": ["popen"]}, True),
        (ArgsSource.ARGS, {"tx": ["popen"]}, False),
        (ArgsSource.TESTPATHS, {"tx": []}, False),
        (ArgsSource.TESTPATHS, {}, False),
    ],
)
def test_databases_are_made_before_they_are_asked_for_where_all_tests_run(
    source: ArgsSource, option: dict[str, list[str]], is_whole: bool
) -> None:
    config = SimpleNamespace(args_source=source, option=SimpleNamespace(collectonly=False, **option))
    assert passes.is_whole(config) is is_whole  # type: ignore[arg-type]
    config.workerinput = {}
    assert not passes.is_whole(config)  # type: ignore[arg-type]


@dataclass(eq=False)
class Worker:
    """As much of xdist's as the schedule asks for."""

    gateway: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(id="gw"))
    given: list[int] = field(default_factory=list)
    shutting_down: bool = False

    def send_runtest_some(self, numbers: list[int]) -> None:
        self.given += numbers

    def shutdown(self) -> None:
        self.shutting_down = True


def ran_by(tmp_path: Path, items: list[Item], count: int) -> list[list[str]]:
    """Return the files that each worker runs, where all tests take the same time."""
    told = FilesInBrowser(tmp_path)
    told.write(items)  # type: ignore[arg-type]
    config = SimpleNamespace(
        getvalue=lambda _name: ["popen"] * count, option=SimpleNamespace(loadscopereorder=False)
    )
    schedule = Schedule(config, None, told)  # type: ignore[arg-type]
    workers: list[Any] = [Worker() for _ in range(count)]
    for worker in workers:
        schedule.add_node(worker)
        schedule.add_node_collection(worker, [item.nodeid for item in items])
    schedule.schedule()
    done = dict.fromkeys(workers, 0)
    while schedule.has_pending:
        for worker in workers:
            if len(worker.given) - done[worker] > (0 if worker.shutting_down else 1):
                schedule.mark_test_complete(worker, worker.given[done[worker]])
                done[worker] += 1
        if schedule.tests_finished:
            for worker in workers:
                worker.shutdown()
    return [
        list(dict.fromkeys(items[number].nodeid.partition("::")[0] for number in worker.given))
        for worker in workers
    ]


def test_a_worker_begins_with_the_longest_file_in_a_browser_and_stays_there(tmp_path: Path) -> None:
    def file(name: str, count: int, *marks: str) -> list[Item]:
        return [Item(f"{name}.py::test{number}", marks) for number in range(count)]

    plain = [*file("a", 6), *file("b", 5), *file("c", 4)]
    pages = [*file("pages", 8, "browser"), *file("walks", 3, "browser"), *file("end", 2, "browser")]
    assert ran_by(tmp_path, [*plain, *pages], 3) == [
        ["a.py", "walks.py"],
        ["b.py", "c.py"],
        ["pages.py", "end.py"],
    ]
    assert ran_by(tmp_path, [*plain, *pages], 1) == [
        ["a.py", "b.py", "c.py", "pages.py", "walks.py", "end.py"]
    ]
    assert ran_by(tmp_path, plain, 2) == [["a.py"], ["b.py", "c.py"]]
    assert ran_by(tmp_path, [*plain, *file("one", 1, "browser")], 2)[1] == ["one.py"]


TAKES_NAMES = """
import pytest

servers = []

@pytest.fixture(scope="session")
def server():
    servers.append(set())
    yield servers[-1]
    servers[-1].add("ended")

@pytest.fixture(scope="module")
def settled(server):
    server.add("settled")
    return server

def test_a_name_is_taken(settled):
    assert "ada" not in settled
    settled.add("ada")
    assert len(servers) == 2, "the first try"

def test_others_share_the_second_server(server):
    assert servers == [{"settled", "ada", "ended"}, {"settled", "ada"}]

hosts = []

@pytest.fixture(scope="module")
def own_host():
    hosts.append(set())
    return hosts[-1]

def test_a_name_is_taken_on_a_host_of_this_file(own_host):
    assert "ada" not in own_host
    own_host.add("ada")
    assert len(hosts) == 2, "the first try"
"""
HOOKS = """
import pytest
from tests.suite import second_try

def pytest_configure(config):
    second_try.register(config)

@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item):
    second_try.renew_server(item)

def pytest_collection_modifyitems(items):
    for item in items:
        item.add_marker(second_try.mark(item))
"""


def test_a_second_try_has_a_server_of_its_own(tmp_path: Path) -> None:
    (tmp_path / "test_names.py").write_text(TAKES_NAMES)
    (tmp_path / "conftest.py").write_text(HOOKS)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "-p", "pytest_rerunfailures", "-p", "no:cacheprovider", str(tmp_path)],
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", "CI": "1"},
        cwd=tmp_path, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "3 passed, 2 rerun" in ran.stdout, ran.stdout + ran.stderr
    at_once, _, _ = ran.stdout.partition("rerun test summary info")
    assert "(call, rerun)" in at_once
    assert "AssertionError" in at_once


CASES = """<testsuites>
  <testcase name="goes" time="0.002" classname="test" file="{root}/assets/ts/charts/a.test.ts"/>
  <testcase name="waits" time="0" classname="test" file="{root}/assets/ts/charts/a.test.ts"><skipped/></testcase>
  <testcase name="fails" time="0.001" classname="test" file="{root}/assets/ts/charts/a.test.ts">
    <failure type="testCodeFailure" message="1 is not 2">1 is 1, a.test.ts:9</failure>
  </testcase>
</testsuites>"""


@pytest.mark.parametrize(
    ("results", "status", "expected"),
    [
        (
            CASES,
            1,
            [
                ("goes", "passed", ""),
                ("waits", "failed", SKIPPED),
                ("fails", "failed", "1 is 1, a.test.ts:9"),
            ],
        ),
        (None, 1, [("run", "failed", "what esbuild prints")]),
        ("<testsuites><testcase", 1, [("run", "failed", "what esbuild prints")]),
        ("<testsuites/>", 0, [("run", "failed", "what esbuild prints")]),
    ],
    ids=["some fail", "not built", "cut off", "none"],
)
def test_typescript_tests_are_reported_as_those_of_pytest(
    tmp_path: Path, results: str | None, status: int, expected: list[tuple[str, str, str]]
) -> None:
    if results is not None:
        (tmp_path / "typescript.xml").write_text(results.format(root=ROOT))
    (tmp_path / "typescript.txt").write_text("what esbuild prints")
    reports = TypeScriptTests(tmp_path)._reports(status)
    assert [(report.location[2], report.outcome, report.longreprtext) for report in reports] == expected


@pytest.mark.parametrize(
    ("test", "place", "is_about"),
    [
        (
            "runs/tests/query/test_query.py::test_a_filter_finds",
            "runs/query/regex.py:Matches.as_sqlite",
            True,
        ),
        ("runs/tests/table/test_table.py::test_rows", "runs/query/regex.py:Matches.as_sqlite", False),
        ("runs/tests/test_api.py::test_list", "runs/query/regex.py:Matches.as_sqlite", False),
        ("usage/tests/test_metering.py::test_hours", "usage/metering/day_sums.py:_write", True),
        ("metrics/tests/store/test_reads.py::test_all", "usage/metering/day_sums.py:_write", False),
        ("artifacts/tests/drafts/test_commit.py::test_one", "artifacts/contents.py:pin", False),
    ],
)
def test_a_test_is_about_statements_of_its_own_folder(test: str, place: str, is_about: bool) -> None:
    assert dialect.is_about(Item(test), place) is is_about  # type: ignore[arg-type]


def test_common_statements_are_there() -> None:
    for place in dialect.COMMON:
        file, _, function = place.partition(":")
        assert f"def {function}(" in (ROOT / file).read_text(), place


def test_the_list_of_tests_about_databases_names_what_is_there() -> None:
    gone = []
    for name in passes.DIALECT.read_text().splitlines():
        file, *_, function = name.split("::")
        if not (ROOT / file).exists() or f"def {function}(" not in (ROOT / file).read_text():
            gone.append(name)
    assert gone == [], "remove these from tests/suite/dialect.txt"


def test_every_area_has_a_budget_in_both_passes() -> None:
    listed = tomllib.loads(budget.LIST.read_text())
    assert set(listed) == {Pass.GATE, Pass.SECOND}
    assert {area for of_pass in listed.values() for area in of_pass} == budget.areas()


def test_an_area_over_its_budget_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "budgets", lambda _current: {"runs": 100.0, "teams": 100.0, "usage": 200.0})
    *table, last = budget.describe({"runs": (3, 140.0), "teams": (2, 151.0), "tests/new": (1, 0.5)})
    assert [line.split() for line in table] == [
        ["Area", "tests", "s", "budget"], ["teams", "2", "151", "100"], ["runs", "3", "140", "100"],
        ["tests/new", "1", "0", "0"], ["all", "6", "292", "400"],
    ]  # fmt: skip
    assert last.endswith("teams, tests/new")


def test_on_a_slower_machine_areas_are_compared_with_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(budget, "budgets", lambda _current: {"runs": 100.0, "teams": 100.0, "usage": 100.0})
    *_, slower, over = budget.describe({"runs": (3, 80.0), "teams": (2, 200.0), "usage": (1, 320.0)})
    assert "2.0 times" in slower
    assert over.endswith(": usage")
