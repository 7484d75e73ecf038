"""AGT-1: commands in any language as runs; real processes, signals and terminals."""

from __future__ import annotations

import json
import os
import pty
import select
import signal
import subprocess
import sys
import time
from typing import Any

import pytest
from recorded import PATIENCE_S, Programs, texts, until

SH = ("--", "sh", "-c")


@pytest.fixture
def programs(fake, tmp_path):
    made = Programs(fake, tmp_path)
    yield made
    made.close()


def test_the_sdk_in_a_command_tells_which_run_it_is_in(programs):
    """AGT-1: by a header; those that are set already stay, and nothing else of the SDK's settings changes."""
    script = 'echo "$WANDB_X_EXTRA_HTTP_HEADERS"; env | grep ^WANDB_ | cut -d= -f1 | sort'
    done = programs.wrap(*SH, script, WANDB_X_EXTRA_HTTP_HEADERS='{"X-Proxy": "lab"}')
    headers, *names = done.stdout.splitlines()
    uid = programs.only_run().header["uid"]
    assert json.loads(headers) == {"X-Proxy": "lab", "X-Runyard-Wrapper": f"{uid}; console, system"}
    assert names == ["WANDB_X_EXTRA_HTTP_HEADERS", "WANDB__EXTRA_HTTP_HEADERS"]


def test_a_header_takes_an_id_of_any_characters(programs):
    """AGT-1, RUN-1: percent-encoded, for headers are latin-1."""
    done = programs.wrap(*SH, 'echo "$WANDB_X_EXTRA_HTTP_HEADERS"', RUNYARD_RUN_ID="日本 50%")
    told = json.loads(done.stdout)["X-Runyard-Wrapper"]
    assert told == "%E6%97%A5%E6%9C%AC%2050%25; console, system"


@pytest.mark.parametrize(
    ("script", "code"), [("exit 0", 0), ("exit 3", 3), ("kill -TERM $$", 143), ("kill -9 $$", 137)]
)
def test_every_ending_is_the_commands_own(programs, script, code):
    """AGT-1: the exit code is the command's, 128 + n for signals, here and on the server; nothing is left behind."""
    done = programs.wrap(*SH, f"echo out; echo err >&2; {script}")
    assert (done.returncode, done.stdout) == (code, "out\n")
    assert done.stderr.startswith("err\n") or "\nerr\n" in done.stderr
    run = programs.only_run()
    assert run.exit_code == code
    assert (texts(run), texts(run, errors=True)) == (["out"], ["err"])
    assert programs.left() == []
    assert run.header["project"] in done.stderr  # the link of its page


@pytest.mark.parametrize(("name", "code"), [("nonesuch", 127), ("./text", 126), (".", 126)])
def test_a_command_that_cannot_start_leaves_no_run(programs, name, code):
    """AGT-1."""
    (programs.home / "text").write_text("no program")
    done = programs.wrap("--", name)
    assert done.returncode == code
    assert done.stderr.count("\n") == 1
    assert name in done.stderr
    assert not programs.fake.runs
    assert programs.left() == []


def test_without_a_command_or_with_a_wrong_setting_nothing_runs(programs):
    """AGT-1: wrong usage is one line and 2, before the command is started."""
    for words in ([], ["--mode", "never", "--", "touch", "ran"], ["--without", "x", "--", "touch", "ran"]):
        done = programs.wrap(*words)
        assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert not (programs.home / "ran").exists()


def test_facts_of_the_command(programs):
    """AGT-1: command, host, OS and git, without the password of the remote."""
    git = ["git", "-c", "user.name=a", "-c", "user.email=a@b"]
    for words in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run([*git, *words], cwd=programs.home, check=True)
    remote = "https://ada:secret@example.com/a.git"
    subprocess.run(["git", "remote", "add", "origin", remote], cwd=programs.home, check=True)
    programs.wrap("--name", "one", "--tags", "a,b", *SH, "sleep 0.5")
    run = programs.only_run()
    facts = json.loads(run.files["wandb-metadata.json"])
    assert (facts["program"], facts["args"]) == ("sh", ["-c", "sleep 0.5"])
    assert facts["git"]["remote"] == run.header["git_remote"] == "https://example.com/a.git"
    assert len(facts["git"]["commit"]) == 40
    assert facts["cpu_count"] >= 1
    assert {"host", "os", "startedAt", "memory"} <= set(facts)
    assert (run.header["display_name"], run.header["tags"]) == ("one", ["a", "b"])


def test_hardware_is_that_of_the_command(programs):
    """AGT-1, AGT-4: the process tree of the command is sampled, not the agent."""
    programs.wrap(
        "--interval",
        "0.2",
        "--",
        sys.executable,
        "-c",
        "x = b'x' * 300_000_000; import time; time.sleep(3)",
    )
    rows = programs.only_run().records("system")
    assert len(rows) >= 3
    assert max(row.get("system.proc.memory.rssMB", 0) for row in rows) > 280


def test_bytes_pass_unchanged(programs):
    """AGT-1: what is no text is passed through as it is, and recorded as well as can be."""
    code = "import os; os.write(1, bytes(range(256)) * 4000)"
    process = programs.start(["-m", "runyard_agent", "run", "--", sys.executable, "-c", code], text=False)
    out, _ = process.communicate(timeout=PATIENCE_S)
    assert out == bytes(range(256)) * 4000
    assert programs.only_run().exit_code == 0


def test_many_lines_arrive_in_order_within_bounds(programs):
    """AGT-1: a hundred thousand short lines, all of them, in a bounded memory."""
    probe = (
        "import sys; from runyard_agent.cli import main; code = main(['run', '--', 'seq', '100000']); "
        "peak = [line for line in open('/proc/self/status') if line.startswith('VmHWM')]; "
        "sys.stderr.write(f'peak {peak[0].split()[1]}'); sys.exit(code)"
    )
    done = programs.python(probe)
    assert done.stdout.splitlines() == [str(number) for number in range(1, 100_001)]
    assert texts(programs.only_run()) == done.stdout.splitlines()
    assert int(done.stderr.rpartition("peak ")[2]) < 100 * 1024


def test_output_is_passed_on_at_once(programs):
    """AGT-1: a prompt without an end of line, too."""
    process = programs.start(
        ["-m", "runyard_agent", "run", *SH, "printf 'name? '; read name; echo hello $name"],
        stdin=subprocess.PIPE,
    )
    assert process.stdin
    assert process.stdout
    assert process.stdout.read(6) == "name? "
    process.stdin.write("ada\n")
    process.stdin.close()
    assert process.stdout.read() == "hello ada\n"
    assert process.wait(PATIENCE_S) == 0


def test_a_reader_that_leaves_ends_the_command_as_without_us(programs):
    """AGT-1: as in `runyard-agent run -- yes | head`."""
    process = programs.start(["-m", "runyard_agent", "run", "--", "yes"])
    assert process.stdout
    assert process.stdout.readline() == "y\n"
    process.stdout.close()
    assert (
        process.wait(PATIENCE_S) == 128 + signal.SIGPIPE or process.returncode == 1
    )  # yes tells of EPIPE where SIGPIPE is ignored


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT])
def test_signals_are_passed_on_once(programs, number):
    """AGT-1: the command may end in its own way."""
    code = (
        "import signal, sys, time\n"
        "count = []\n"
        f"signal.signal({int(number)}, lambda *_: count.append(1))\n"
        "print('ready', flush=True)\n"
        "while not count: time.sleep(0.01)\n"
        "time.sleep(0.3)\n"
        "sys.exit(40 + len(count))\n"
    )
    process = programs.start(["-m", "runyard_agent", "run", "--", sys.executable, "-c", code])
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    process.send_signal(number)
    assert process.wait(PATIENCE_S) == 41
    assert programs.only_run().exit_code == 41


def test_a_preempted_command_ends_as_killed(programs):
    """AGT-1: the scheduler's SIGTERM; 143 is what the server takes as killed."""
    process = programs.start(["-m", "runyard_agent", "run", *SH, "echo ready; sleep 60"])
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    process.terminate()
    assert process.wait(PATIENCE_S) == 143
    assert programs.only_run().exit_code == 143


STUBBORN = (
    "import signal, sys, time\n"
    "signal.signal(signal.SIGINT, lambda *_: print('no', flush=True))\n"
    "signal.signal(signal.SIGTERM, lambda *_: print('never', flush=True))\n"
    "print('ready', flush=True)\n"
    "while True: time.sleep(0.05)\n"
)


def test_a_stop_on_the_web_gets_harder(programs):
    """AGT-1: SIGINT, SIGTERM, SIGKILL, after the times of the settings."""
    times = ["--sigterm-after", "0.5", "--sigkill-after", "0.5"]
    process = programs.start(["-m", "runyard_agent", "run", *times, "--", sys.executable, "-c", STUBBORN])
    until(lambda: programs.fake.runs)
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    programs.only_run().stop_requested = True
    until(lambda: process.poll() is not None)
    assert process.returncode == 137
    assert process.stdout.read() == "no\nnever\n"
    assert programs.only_run().exit_code == 137
    assert process.stderr
    told = process.stderr.read()
    assert [name in told for name in ("SIGINT", "SIGTERM", "SIGKILL")] == [True] * 3


def test_a_stop_ends_with_the_first_signal_that_is_heeded(programs):
    """AGT-1."""
    process = programs.start(["-m", "runyard_agent", "run", "--sigterm-after", "30", "--", "sleep", "60"])
    until(lambda: programs.fake.runs)
    programs.only_run().stop_requested = True
    assert process.wait(PATIENCE_S) == 130
    assert programs.only_run().exit_code == 130


def test_what_a_command_leaves_running_does_not_hold_us(programs):
    """AGT-1: a grandchild that keeps our pipes open."""
    began = time.monotonic()
    done = programs.wrap(*SH, "sleep 300 & echo $!; exit 5")
    os.kill(int(done.stdout), signal.SIGKILL)
    assert done.returncode == 5
    assert time.monotonic() - began < 200  # less than what it sleeps


def test_code_in_the_command_finds_its_run(programs):
    """AGT-1, AGT-3: by the environment; init() joins the run: one run, one ending, its history in it."""
    code = (
        "import os, runyard_agent as runyard\n"
        "run = runyard.init(config={'lr': 1})\n"
        "assert run.id == os.environ['RUNYARD_RUN_ID']\n"
        "for step in range(5): run.log({'loss': step})\n"
        "print('printed')\n"
        "run.finish()\n"
        "raise SystemExit(7)\n"
    )
    done = programs.wrap("--", sys.executable, "-c", code)
    assert done.returncode == 7, done.stderr
    run = programs.only_run()
    assert run.exit_code == 7
    assert [row["loss"] for row in run.records("history")] == [0, 1, 2, 3, 4]
    assert run.summary["loss"] == 4
    assert texts(run) == ["printed"]
    assert len([post for post in programs.fake.posts() if "finish" in post]) == 1
    assert programs.left() == []


def test_a_wrapped_command_in_a_wrapped_command_is_a_run_of_its_own(programs):
    """AGT-1."""
    done = programs.wrap("--", sys.executable, "-m", "runyard_agent", "run", "--", "sh", "-c", "exit 4")
    assert done.returncode == 4
    assert [run.exit_code for run in programs.fake.runs.values()] == [4, 4]


def test_a_server_that_is_away_delays_nothing_and_gets_it_later(programs):
    """AGT-1, AGT-5: the command ends as ever; sync brings the rest."""
    programs.fake.stop()
    done = programs.wrap("--finish-timeout", "0.5", *SH, "echo one; exit 3")
    assert (done.returncode, done.stdout) == (3, "one\n")
    assert "runyard-agent sync" in done.stderr
    assert len(programs.left()) == 1
    programs.fake.start()
    assert programs.sync().returncode == 0
    assert programs.only_run().exit_code == 3
    assert texts(programs.only_run()) == ["one"]


def test_a_server_that_comes_later_is_sent_everything(programs):
    """AGT-1, AGT-5."""
    programs.fake.stop()
    process = programs.start(
        ["-m", "runyard_agent", "run", *SH, "echo one; read line; echo two"], stdin=subprocess.PIPE
    )
    assert process.stdin
    assert process.stdout
    assert process.stdout.readline() == "one\n"
    programs.fake.start()
    process.stdin.write("\n")
    process.stdin.close()
    assert process.wait(PATIENCE_S) == 0
    assert texts(programs.only_run()) == ["one", "two"]


def test_offline_records_and_disabled_does_nothing(programs):
    """AGT-1: offline sends nothing until sync; disabled becomes the command itself and makes no file."""
    done = programs.wrap("--mode", "disabled", *SH, "echo $RUNYARD_RUN_ID $PPID; exit 9")
    assert (done.returncode, done.stderr) == (9, "")
    assert done.stdout.split() == [str(os.getpid())]  # no process of ours in between
    assert not programs.spool.exists()
    done = programs.wrap("--mode", "offline", *SH, "echo kept")
    assert done.returncode == 0
    assert not programs.fake.requests
    assert programs.sync().returncode == 0
    assert texts(programs.only_run()) == ["kept"]


def test_console_can_be_left_out(programs):
    """AGT-1."""
    done = programs.wrap("--console", "false", *SH, "echo secret")
    assert done.stdout == "secret\n"
    assert programs.only_run().records("log") == []


class Typist:
    """A person at a terminal of 33 rows and 101 columns."""

    def __init__(self, programs: Programs, *words: str, **streams: int) -> None:
        import fcntl
        import struct
        import termios

        self.master, slave = pty.openpty()
        fcntl.ioctl(self.master, termios.TIOCSWINSZ, struct.pack("HHHH", 33, 101, 0, 0))
        self.before = termios.tcgetattr(slave)
        code = (
            "import fcntl, os, runpy, sys, termios\n"
            "os.setsid(); fcntl.ioctl(0, termios.TIOCSCTTY, 0)\n"
            f"sys.argv = ['runyard-agent', 'run', *{list(words)!r}]\n"
            "runpy.run_module('runyard_agent', run_name='__main__')\n"
        )
        fds: dict[str, Any] = {"stdin": slave, "stdout": slave, "stderr": slave, **streams}
        self.process = programs.start(["-c", code], **fds)
        self.slave, self.seen = slave, b""

    def modes(self) -> list[object]:
        import termios

        return termios.tcgetattr(self.slave)

    def reads(self, text: bytes) -> None:
        """Wait until the screen shows a text."""

        def shown() -> bool:
            if select.select([self.master], [], [], 0)[0]:
                self.seen += os.read(self.master, 65536)
            return text in self.seen

        until(shown, f"{text!r} is not on the screen: {self.seen!r}")

    def types(self, text: bytes) -> None:
        os.write(self.master, text)

    def close(self) -> None:
        os.close(self.slave)
        os.close(self.master)


@pytest.fixture
def typist(programs):
    made = []

    def make(*words, **streams):
        made.append(Typist(programs, *words, **streams))
        return made[-1]

    yield make
    for each in made:
        each.close()


def test_a_terminal_stays_a_terminal(programs, typist):
    """AGT-1: output, errors and input are terminals of the right size; what is typed arrives; stderr is known as such."""
    code = (
        "import os, sys; print([os.isatty(n) for n in (0, 1, 2)], *os.get_terminal_size(), flush=True); "
        "print('got', input('name? ')); print('bad', file=sys.stderr)"
    )
    person = typist("--", sys.executable, "-c", code)
    person.reads(b"[True, True, True] 101 33\r\n")
    person.reads(b"name? ")
    person.types(b"ada\r")
    person.reads(b"got ada\r\n")
    person.reads(b"bad\r\n")
    assert person.process.wait(PATIENCE_S) == 0
    assert person.modes() == person.before
    run = programs.only_run()
    assert texts(run, errors=True)[-1].endswith("bad")  # the prompt may be before it
    assert "got ada" in texts(run)


def test_ctrl_c_at_a_terminal_reaches_the_command_once(programs, typist):
    """AGT-1."""
    code = (
        "import signal, sys, time\n"
        "count = []\n"
        "signal.signal(signal.SIGINT, lambda *_: count.append(1))\n"
        "print('ready', flush=True)\n"
        "while not count: time.sleep(0.01)\n"
        "time.sleep(0.3)\n"
        "sys.exit(40 + len(count))\n"
    )
    person = typist("--", sys.executable, "-c", code)
    person.reads(b"ready")
    person.types(b"\x03")
    assert person.process.wait(PATIENCE_S) == 41
    assert person.modes() == person.before


def test_input_stays_a_terminal_where_output_is_piped(programs, typist):
    """AGT-1: as in `runyard-agent run -- cmd | tee`."""
    person = typist(*SH, "test -t 0 && ! test -t 1 && read name && echo hello $name", stdout=subprocess.PIPE)
    person.types(b"ada\r")
    assert person.process.stdout
    assert person.process.stdout.read() == "hello ada\n"
    assert person.process.wait(PATIENCE_S) == 0
    assert texts(programs.only_run()) == ["hello ada"]
