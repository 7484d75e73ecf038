"""AGT-3: the Python API, in real programs with a real recorder process."""

from __future__ import annotations

import json
import signal
import subprocess
import time

import pytest
from recorded import PATIENCE_S, Programs, texts, until

from runyard_agent.values import plain_config, plain_row

BEGIN = "import os, sys, time, runyard_agent as runyard\n"


@pytest.fixture
def programs(fake, tmp_path):
    made = Programs(fake, tmp_path)
    yield made
    made.close()


def test_a_run_from_begin_to_end(programs):
    """AGT-3: history, config, summary, console, alert, name and link, exit code, and nothing left behind."""
    done = programs.python(
        BEGIN
        + "run = runyard.init(config={'lr': 0.1, 'deep': {'a': [1, 2]}}, name='one', tags=['x'], notes='n', group='g', job_type='train', settings={'user': 'bob'})\n"
        "print(run.id, run.name, run.project, run.entity, run.url)\n"
        "for step in range(20): runyard.log({'loss': 1 / (step + 1), 'deep': {'x': step}})\n"
        "run.config.lr = 0.2; run.config['new'] = None; run.config.update({'epochs': 3})\n"
        "run.summary['best'] = 5; run.log({'best': 1})\n"
        "print('bad', file=sys.stderr)\n"
        "runyard.alert('careful', 'loss is up', level='WARN', wait_s=60)\n"
        "assert (runyard.config.lr, runyard.summary['loss'], runyard.summary['best']) == (0.2, 0.05, 5)\n"
        "run.finish()\n"
        "assert runyard.run is None\n"
    )
    assert done.returncode == 0, done.stderr
    run = programs.only_run()
    uid, name, *where = done.stdout.split()
    assert (name, where) == ("one", ["p", "ada", f"{programs.fake.url}/ada/p/{uid}"])
    rows = run.records("history")
    assert [row["_step"] for row in rows] == list(range(21))
    assert rows[3]["loss"] == 0.25
    assert rows[3]["deep"] == {"x": 3}
    assert all(abs(row["_timestamp"] - time.time()) < 300 and row["_runtime"] >= 0 for row in rows)
    assert run.config == {"lr": 0.2, "deep": {"a": [1, 2]}, "new": None, "epochs": 3}
    assert (run.summary["loss"], run.summary["best"], run.summary["_step"]) == (0.05, 5, 20)
    (alert,) = run.alerts.values()
    assert (alert["title"], alert["text"], alert["level"], alert["wait_s"]) == (
        "careful",
        "loss is up",
        "WARN",
        60,
    )
    assert texts(run) == [done.stdout.strip()]
    assert texts(run, errors=True) == ["bad"]
    told = ("display_name", "tags", "notes", "group", "job_type", "user")
    assert [run.header[key] for key in told] == ["one", ["x"], "n", "g", "train", "bob"]
    facts = json.loads(run.files["wandb-metadata.json"])
    assert (facts["program"], facts["python"].split()[0]) == ("<python>", "CPython")
    assert run.exit_code == 0
    assert programs.left() == []
    assert where[-1] in done.stderr


def test_steps(programs):
    """AGT-3: what is logged to one step is one row; a step before the last is left out and told once."""
    done = programs.python(
        BEGIN + "run = runyard.init()\n"
        "run.log({'a': 1}, step=5); run.log({'b': 2}, step=5); run.log({'a': 3}, step=7); run.log({'c': 4})\n"
        "run.log({'d': 5}); run.log({'x': 0}, step=2); run.log({'x': 0}, step=3)\n"
        "run.log({'e': 6}, commit=False); run.log({'f': 7}); run.log({'g': 8}, step=20)\n"
    )
    rows = [
        {key: value for key, value in row.items() if key[0] != "_" or key == "_step"}
        for row in programs.only_run().records("history")
    ]
    assert rows == [
        {"_step": 5, "a": 1, "b": 2},
        {"_step": 7, "a": 3, "c": 4},
        {"_step": 8, "d": 5},
        {"_step": 9, "e": 6, "f": 7},
        {"_step": 20, "g": 8},
    ]
    assert done.stderr.count("it was skipped") == 1


@pytest.mark.parametrize(
    ("ending", "code"),
    [
        ("pass", 0),
        ("sys.exit(4)", 4),
        ("sys.exit()", 0),
        ("sys.exit('why')", 1),
        ("1 / 0", 1),
        ("raise KeyboardInterrupt", 130),
        ("with run: raise ValueError", 1),
        ("with run: sys.exit(6)", 6),
        ("run.finish(exit_code=8)", 8),
        ("os._exit(0)", 137),
        ("os.kill(os.getpid(), 9)", 137),
    ],
)
def test_every_ending(programs, ending, code):
    """AGT-3: without finish() the run ends as its program does; one that ends without a word counts as killed."""
    programs.python(BEGIN + f"run = runyard.init(); run.log({{'a': 1}})\n{ending}\n")
    until(lambda: programs.only_run().exit_code is not None)
    assert programs.only_run().exit_code == code
    assert len(programs.only_run().records("history")) == 1


def test_numbers_of_other_libraries():
    """AGT-3: numpy's scalars and arrays of one, and whatever else is like them, without importing any."""
    numpy = pytest.importorskip("numpy")
    row = {
        "f": numpy.float64(0.5),
        "h": numpy.float32(0.5),
        "i": numpy.int32(3),
        "b": numpy.bool_(True),
        "one": numpy.array([[2.5]]),
        "list": [numpy.int8(1)],
    }
    plain = plain_row(row)
    assert plain == {"f": 0.5, "h": 0.5, "i": 3, "b": True, "one": 2.5, "list": [1]}
    assert [type(value) for value in plain.values()] == [float, float, int, bool, float, list]


def test_what_cannot_be_logged_is_refused_by_its_name():
    """AGT-3: in a configuration it becomes text, as paths and functions often stand there."""
    with pytest.raises(TypeError, match=r"'deep\.x' is of type object"):
        plain_row({"deep": {"x": object()}})
    assert plain_config({"x": [1j]}) == {"x": ["1j"]}
    with pytest.raises(TypeError, match="configuration"):
        plain_config(3)


def test_files(programs):
    """AGT-3: at once, whenever they change, at the end; folders and patterns; nothing from outside the base."""
    done = programs.python(
        BEGIN + "from pathlib import Path\n"
        "run = runyard.init()\n"
        "Path('a').mkdir(); Path('a/x.txt').write_text('x'); Path('a/y.txt').write_text('y'); Path('live.txt').write_text('1')\n"
        "run.save('a'); run.save('live.txt', policy='live'); run.save('late*.txt', policy='end')\n"
        "time.sleep(1); Path('live.txt').write_text('second'); Path('late1.txt').write_text('late')\n"
        "run.save('a/x.txt', base_path='a')\n"
        "try: run.save('../outside.txt')\n"
        "except ValueError as error: print(error)\n"
        "run.finish()\n"
    )
    assert done.returncode == 0, done.stderr
    files = programs.only_run().files
    expected = {"a/x.txt": b"x", "a/y.txt": b"y", "x.txt": b"x", "live.txt": b"second", "late1.txt": b"late"}
    assert {name: files.get(name) for name in expected} == expected
    assert "outside.txt" in done.stdout


def test_a_run_goes_on_where_it_ended(programs):
    """AGT-3: steps go on, and the history of both is there."""
    program = (
        BEGIN
        + "run = runyard.init(id='same', resume='allow'); run.log({'a': 1}); run.log({'a': 2}); print(run.step)"
    )
    assert [programs.python(program).stdout for _ in range(2)] == ["2\n", "4\n"]
    assert sorted(row["_step"] for row in programs.only_run().records("history")) == [0, 1, 2, 3]


def test_a_run_that_cannot_begin_does_not_end_the_training(programs):
    """AGT-3: a wrong key is told once, everything is recorded, and sync sends it with the right one."""
    done = programs.python(
        BEGIN + "run = runyard.init()\nfor step in range(50): run.log({'a': step})\nprint('trained')",
        RUNYARD_API_KEY="wrong",
    )
    assert (done.returncode, done.stdout) == (0, "trained\n")
    assert done.stderr.count("(401)") + done.stderr.count("not known") >= 1
    assert not programs.fake.runs
    assert programs.sync().returncode == 0
    assert len(programs.only_run().records("history")) == 50


def test_without_a_server_or_offline_everything_is_kept(programs):
    """AGT-3, AGT-5."""
    programs.fake.stop()
    away = programs.python(BEGIN + "run = runyard.init(); run.log({'a': 1})", RUNYARD_FINISH_TIMEOUT="0.5")
    offline = programs.python(BEGIN + "run = runyard.init(mode='offline'); run.log({'a': 1})")
    unset = programs.python(BEGIN + "run = runyard.init(); run.log({'a': 1})", RUNYARD_URL="")
    assert [done.returncode for done in (away, offline, unset)] == [0, 0, 0]
    assert len(programs.left()) == 3
    programs.fake.start()
    assert programs.sync().returncode == 0
    assert [len(run.records("history")) for run in programs.fake.runs.values()] == [1, 1, 1]


def test_disabled_makes_no_process_and_no_file(programs):
    """AGT-3: by argument or environment; everything of the API still works."""
    code = (
        BEGIN
        + "run = runyard.init(config={'lr': 1}%s); run.log({'a': 1}); run.alert('x'); run.save('y'); run.summary['b'] = 2\n"
        "assert run.summary['a'] == 1 and run.config.lr == 1 and run.url == ''\n"
        "import threading; assert threading.active_count() == 1\n"
        "assert not os.path.exists('/proc/self/task/%%d/children' %% os.getpid()) or not open('/proc/self/task/%%d/children' %% os.getpid()).read()\n"
        "run.finish()\n"
    )
    for more, env in ((", mode='disabled'", {}), ("", {"RUNYARD_MODE": "disabled"})):
        done = programs.python(code % more, **env)
        assert (done.returncode, done.stderr) == (0, "")
    assert not programs.spool.exists()
    assert not programs.fake.requests


def test_the_training_imports_nothing_large(programs):
    """AGT-3, AGT-6: neither the sampler nor HTTP nor terminals, before and after init()."""
    done = programs.python(
        BEGIN + "run = runyard.init(mode='offline'); run.log({'a': 1}); run.finish()\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules}))\n"
        "print(*sorted(name for name in sys.modules if name.startswith('runyard_agent.')))\n"
    )
    loaded, ours = (set(line.split()) for line in done.stdout.splitlines())
    assert not loaded & {"psutil", "urllib3", "rich", "pynvml", "ssl", "http", "asyncio", "prometheus_client"}
    names = "api capture console link mappings settings values"
    assert ours == {f"runyard_agent.{name}" for name in names.split()}


def test_a_stop_on_the_web_interrupts_the_main_thread(programs):
    """AGT-3: KeyboardInterrupt, also out of a sleep; the run ends as interrupted."""
    process = programs.start(
        ["-c", BEGIN + "run = runyard.init()\nprint('ready', flush=True)\ntime.sleep(100)\n"]
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    programs.only_run().stop_requested = True
    assert process.wait(PATIENCE_S) == -signal.SIGINT
    assert programs.only_run().exit_code == 130


def test_a_stop_can_be_asked_for_instead(programs):
    """AGT-3."""
    code = (
        BEGIN
        + "run = runyard.init(settings={'interrupt_on_stop': False})\nprint('ready', flush=True)\nwhile not run.stop_requested: time.sleep(0.01)\n"
    )
    process = programs.start(["-c", code])
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    programs.only_run().stop_requested = True
    assert process.wait(PATIENCE_S) == 0


def test_ctrl_c_in_the_middle_of_log_breaks_nothing(programs):
    """AGT-3: what log() returned from is there, in order, whenever the interrupts came."""
    code = (
        BEGIN + "import signal\n"
        "run = runyard.init(console=False); done = []; number = 0; armed = False\n"
        "def interrupt(*_):\n"
        "    global armed\n"
        "    if armed:\n"
        "        armed = False\n"
        "        raise KeyboardInterrupt\n"
        "signal.signal(signal.SIGALRM, interrupt); signal.setitimer(signal.ITIMER_REAL, 0.001, 0.0013)\n"
        "end = time.monotonic() + 1\n"
        "while time.monotonic() < end:\n"
        "    try:\n"
        "        armed = True\n"
        "        while True:\n"
        "            number += 1\n"
        "            run.log({'n': number, 'pad': 'x' * 50}); done.append(number)\n"
        "    except KeyboardInterrupt: pass\n"
        "signal.signal(signal.SIGALRM, signal.SIG_IGN)\n"
        "print(*done); run.finish()\n"
    )
    done = programs.python(code)
    assert done.returncode == 0, done.stderr
    returned = [int(number) for number in done.stdout.split()]
    kept = [row["n"] for row in programs.only_run().records("history")]
    assert kept == sorted(set(kept))
    assert set(returned) <= set(kept)
    assert len(returned) > 100


def test_a_signal_handler_may_log(programs):
    """AGT-3: also while the same thread is in the middle of log()."""
    code = (
        BEGIN + "import signal\n"
        "run = runyard.init(); count = 0\n"
        "def handle(*_):\n"
        "    global count\n"
        "    count += 1; run.log({'handled': count}); print('handled', count)\n"
        "signal.signal(signal.SIGALRM, handle); signal.setitimer(signal.ITIMER_REAL, 0.001, 0.002)\n"
        "for number in range(3000): run.log({'n': number})\n"
        "signal.setitimer(signal.ITIMER_REAL, 0); print('count', count); run.finish()\n"
    )
    done = programs.python(code)
    assert done.returncode == 0, done.stderr
    rows = programs.only_run().records("history")
    assert [row["n"] for row in rows if "n" in row] == list(range(3000))
    assert len({row["handled"] for row in rows if "handled" in row}) > 0


def test_threads_log_to_one_run(programs):
    """AGT-3: nothing is lost or torn."""
    code = (
        BEGIN + "from threading import Thread\n"
        "run = runyard.init()\n"
        "def work(name):\n    for number in range(500): run.log({name: number, 'text': 'x' * (number * 20)})\n"
        "threads = [Thread(target=work, args=(f't{name}',)) for name in range(4)]\n"
        "[thread.start() for thread in threads]; [thread.join() for thread in threads]\n"
    )
    assert programs.python(code).returncode == 0
    rows = programs.only_run().records("history")
    for name in range(4):
        assert [row[f"t{name}"] for row in rows if f"t{name}" in row] == list(range(500))


def test_a_forked_process_leaves_the_run_alone(programs):
    """AGT-3: it says once that it is not recorded, ends nothing, and what it prints is its own matter."""
    code = (
        BEGIN + "run = runyard.init(); run.log({'a': 1})\n"
        "pid = os.fork()\n"
        "if pid == 0:\n"
        "    print('child prints'); run.log({'a': 'child'}); run.log({'a': 'child'}); run.finish(5); sys.exit(6)\n"
        "os.waitpid(pid, 0); run.log({'a': 2}); print('parent')\n"
    )
    done = programs.python(code)
    assert done.returncode == 0
    run = programs.only_run()
    assert [row["a"] for row in run.records("history")] == [1, 2]
    assert run.exit_code == 0
    assert texts(run) == ["parent"]
    assert done.stderr.count("forked") == 1


def test_a_process_forked_while_something_is_told_may_tell(programs):
    """AGT-3: our thread tells by a slow terminal, whose lock the forked process would wait for."""
    code = (
        BEGIN + "import io, signal, threading\n"
        "from runyard_agent.capture import tell\n"
        "telling = threading.Event()\n"
        "class Slow(io.FileIO):\n"
        "    def write(self, text): telling.set(); time.sleep(0.5); return super().write(text)\n"
        "sys.stderr = io.TextIOWrapper(io.BufferedWriter(Slow(2, 'w', closefd=False)), line_buffering=True)\n"
        "threading.Thread(target=tell, args=('first',)).start(); telling.wait()\n"
        "pid = os.fork()\n"
        "if pid == 0: signal.alarm(30); tell('second'); os._exit(0)\n"
        "print(os.waitpid(pid, 0)[1])\n"
    )
    done = programs.python(code)
    assert done.stdout == "0\n"
    assert done.stderr == "runyard: first\nrunyard: second\n"


def test_workers_that_outlive_the_training_hold_nothing(programs):
    """AGT-3: the run of a killed training ends though a child of it lives on."""
    code = (
        BEGIN
        + "run = runyard.init(); run.log({'a': 1})\npid = os.fork()\nif pid == 0: time.sleep(100)\nprint(pid, flush=True); time.sleep(100)\n"
    )
    process = programs.start(["-c", code])
    assert process.stdout
    child = int(process.stdout.readline())
    process.kill()
    try:
        until(lambda: programs.only_run().exit_code is not None)
    finally:
        subprocess.run(["kill", "-9", str(child)], check=True)
    assert programs.only_run().exit_code == 137


def test_console_capture_ends_with_the_run(programs):
    """AGT-3: handlers of logging are heard, others that wrapped the streams since stay, and afterwards all is as before."""
    code = (
        BEGIN + "import logging; logging.basicConfig(stream=sys.stderr, format='%(message)s')\n"
        "before = sys.stdout.write\n"
        "run = runyard.init(); logging.warning('logged'); print('in'); sys.stdout.write('half'); run.finish()\n"
        "print('after'); assert sys.stdout.write == before\n"
        "run = runyard.init(console=False); print('quiet'); run.finish()\n"
    )
    done = programs.python(code)
    assert done.returncode == 0, done.stderr
    first, second = programs.fake.runs.values()
    assert (texts(first), texts(first, errors=True)) == (["in", "half"], ["logged"])
    assert second.records("log") == []


def test_another_init_ends_the_run_before(programs):
    """AGT-3: as in a loop over learning rates."""
    done = programs.python(
        BEGIN + "for lr in (1, 2, 3):\n    run = runyard.init(config={'lr': lr}); run.log({'a': lr})\n"
    )
    assert done.returncode == 0, done.stderr
    runs = programs.fake.runs.values()
    assert [(run.config["lr"], run.exit_code, len(run.records("history"))) for run in runs] == [
        (1, 0, 1),
        (2, 0, 1),
        (3, 0, 1),
    ]
