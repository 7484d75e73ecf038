"""AGT-5: kill -9 at random moments of a process that appends and sends.

Children of one process, since a start of Python takes longer than a life here, tell through a pipe what ``append``
returned from. Each goes on with the folder that the one before left, and in the end ``sync`` sends the rest.
``RUNYARD_TEST_KILLS=2000`` does it for longer.
"""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

from recorded import PATIENCE_S

from fake_server import KEY

KILLS = int(os.environ.get("RUNYARD_TEST_KILLS", "200"))
AGENT = Path(__file__).parents[1]
STREAMS = ("history", "system", "log")

NURSERY = """
import json, os, sys, time
from pathlib import Path
import gzip, urllib3
from runyard_agent import delivery
from runyard_agent.server import Server
from runyard_agent.settings import load
from runyard_agent.spool import Spool

delivery._SPACING_S = 0.002
folder = Path(sys.argv[1])

def record(stream, number):
    return f"{number} " + "x" * (number % 7 * 50) if stream == "log" else {"n": number, "x": "y" * (number % 50 * 20)}

def live(tell):
    spool = Spool.open(folder)
    ends = spool.ends()
    delivery.Delivery(spool, Server(load()), on_message=lambda text: None).start()
    while True:
        for stream in ("history", "system", "log"):
            spool.append(stream, record(stream, ends[stream]))
            os.write(tell, f"{stream} {ends[stream]}\\n".encode())
            ends[stream] += 1
        spool.append("acts", {"act": "summary", "summary": {"n": ends["log"]}})
        time.sleep(0.0005)

for _ in sys.stdin:  # each line asks for a child
    told, tell = os.pipe()
    pid = os.fork()
    if not pid:
        try:
            live(tell)
        except BaseException as error:
            os.write(2, f"{type(error).__name__}: {error}\\n".encode())
        os._exit(1)
    os.close(tell)
    print(pid, flush=True)
    with open(told) as file:
        lines = file.read().splitlines()
    status = os.waitpid(pid, 0)[1]
    print(json.dumps([os.WIFSIGNALED(status), lines]), flush=True)
"""


class Nursery:
    """Has children, and kills them."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-c", NURSERY, str(folder)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1, env=environment,
        )  # fmt: skip

    def life(self, seconds: float) -> dict[str, list[int]]:
        """Let a child live for a while; return what it told, by stream."""
        assert self.process.stdin
        assert self.process.stdout
        self.process.stdin.write("\n")
        pid = int(self.process.stdout.readline())
        time.sleep(seconds)
        os.kill(pid, signal.SIGKILL)
        was_killed, lines = json.loads(self.process.stdout.readline())
        assert was_killed, "it ended by itself"
        told: dict[str, list[int]] = {stream: [] for stream in STREAMS}
        for line in lines:
            stream, number = line.split()
            told[stream].append(int(number))
        return told

    def close(self) -> None:
        self.process.communicate()


def test_nothing_is_lost_by_kills_at_random_moments(fake, new_spool, tmp_path):
    """AGT-5: what append returned from arrives, in order, once; a record being written may be missing, no other."""
    seed = random.randrange(2**32)
    print("seed", seed)
    chance = random.Random(seed)
    fake.chance, fake.random = 0.1, random.Random(seed)
    spool = new_spool(max_bytes=2**24, resume="allow")
    spool.close()
    environment = {
        **os.environ, "PYTHONPATH": str(AGENT), "RUNYARD_URL": fake.url, "RUNYARD_API_KEY": KEY, "RUNYARD_CONFIG": "/none",
    }  # fmt: skip
    nursery = Nursery(spool.folder, environment)
    ends, untold = dict.fromkeys(STREAMS, 0), dict.fromkeys(STREAMS, 0)
    for _ in range(KILLS):
        for stream, numbers in nursery.life(chance.uniform(0.0, 0.06)).items():
            untold[stream] += 1  # one that was written and not told any more, of each life
            if numbers:
                assert ends[stream] <= numbers[0] < ends[stream] + untold[stream]
                assert numbers == list(range(numbers[0], numbers[-1] + 1))
                ends[stream], untold[stream] = numbers[-1] + 1, 1
    nursery.close()
    during = sum(len(rows) for rows in fake.run("r").rows.values())
    done = subprocess.run(
        [sys.executable, "-m", "runyard_agent", "sync", str(spool.folder)],
        env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    run = fake.run("r")
    for stream in STREAMS:
        numbers = [
            int(record.split()[0]) if stream == "log" else record["n"] for record in run.records(stream)
        ]
        assert numbers == list(range(len(numbers))), stream
        assert ends[stream] <= len(numbers) <= ends[stream] + untold[stream]
    assert 0 < during <= sum(len(rows) for rows in run.rows.values())
    assert ends["log"] - 1 <= run.summary["n"] <= ends["log"] + untold["log"]
    assert run.gaps == []
    assert run.state == "running", "nobody said how it ended"
    assert not spool.folder.exists()
