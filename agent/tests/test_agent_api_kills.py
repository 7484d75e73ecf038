"""AGT-5: training and recorder are killed at random moments; what log() returned from is on the server afterwards."""

from __future__ import annotations

import os
import random
import subprocess
import time

import pytest
from recorded import PATIENCE_S, Programs, until

SEED = int(os.environ.get("RUNYARD_TEST_SEED", "0")) or random.SystemRandom().randrange(2**31)
KILLS = int(os.environ.get("RUNYARD_TEST_KILLS", "4"))

LOGS = """
import os, time, runyard_agent as runyard
run = runyard.init(console=%s)
for number in range(100_000):
    run.log({"n": number, "deep": {"text": "x" * (number %% 700)}}, step=number // 2 if %s else None)
    os.write(1, b"%%d\\n" %% number)
    time.sleep(0.0005)
    if time.monotonic() - began > %s:
        break
""".replace("run = ", "began = time.monotonic(); run = ")


@pytest.fixture
def programs(fake, tmp_path):
    made = Programs(fake, tmp_path)
    yield made
    made.close()


def kill_recorders(pid: int) -> None:
    """Kill those of a training that live; its other children come and go."""
    subprocess.run(["pkill", "-KILL", "-P", str(pid), "-f", "runyard_agent.recorder"], check=False)


def returned(programs: Programs, process: subprocess.Popen[str]) -> int:
    """Return the number of the last row that log() returned from."""
    assert process.stdout
    lines = [line for line in process.stdout.read().splitlines() if line.isdigit()]
    return int(lines[-1]) if lines else -1


@pytest.mark.parametrize("attempt", range(KILLS))
@pytest.mark.parametrize("merged", [False, True])
def test_a_killed_training_loses_no_row(programs, attempt, merged):
    """AGT-5: kill -9 of the training alone; the recorder reads on to the end and ends the run."""
    source = random.Random(f"{SEED}-{attempt}-{merged}")
    process = programs.start(["-c", LOGS % (False, merged, 60)])
    assert process.stdout
    until(lambda: programs.fake.runs)
    time.sleep(source.uniform(0.05, 1.5))
    process.kill()
    last = returned(programs, process)
    until(lambda: programs.only_run().exit_code is not None, f"seed {SEED}")
    rows = programs.only_run().records("history")
    if merged:
        assert [row["_step"] for row in rows] == list(range(len(rows)))
        assert rows[-1]["n"] >= last, f"seed {SEED}"
    else:
        assert [row["n"] for row in rows] == list(range(len(rows)))
        assert len(rows) > last, f"seed {SEED}"
    assert programs.only_run().exit_code == 137
    until(lambda: not programs.left(), "the spool is left behind")


@pytest.mark.parametrize("attempt", range(KILLS))
@pytest.mark.parametrize("merged", [False, True])
def test_a_killed_recorder_is_replaced_and_loses_no_row(programs, attempt, merged):
    """AGT-5: kill -9 of the recorder, several times; rows and lines are neither lost nor doubled."""
    source = random.Random(f"{SEED}-{attempt}-{merged}")
    process = programs.start(["-c", LOGS % (True, merged, 3)])
    until(lambda: programs.fake.runs)
    for _ in range(3):
        time.sleep(source.uniform(0.01, 0.6))
        kill_recorders(process.pid)
    last = returned(programs, process)
    assert process.wait(PATIENCE_S) == 0
    run = programs.only_run()
    rows = run.records("history")
    assert last > 50
    if merged:
        assert [row["_step"] for row in rows] == list(range(last // 2 + 1)), f"seed {SEED}"
        assert [row["n"] for row in rows][:-1] == [2 * step + 1 for step in range(last // 2)]
    else:
        assert [row["n"] for row in rows] == list(range(last + 1)), f"seed {SEED}"
    assert run.summary["n"] == last
    assert run.exit_code == 0
    assert run.gaps == []
    assert programs.left() == []


def test_a_recorder_that_cannot_live_ends_the_recording_not_the_training(programs):
    """AGT-3: after several attempts, told with the reason."""
    code = (
        "import os, runyard_agent as runyard\nopen('no folder', 'w').close()\n"
        "run = runyard.init(settings={'spool_dir': 'no folder'})\n"
        "for number in range(100): run.log({'a': number})\nprint('trained')\n"
    )
    done = programs.python(code, RUNYARD_SPOOL_DIR=str(programs.home / "no folder"))
    assert (done.returncode, done.stdout) == (0, "trained\n")
    assert "not recorded" in done.stderr
