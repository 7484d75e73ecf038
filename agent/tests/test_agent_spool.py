"""AGT-5: what is appended is on disk, whole and in order, whatever happens to the disk."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from recorded import PATIENCE_S

from runyard_agent.spool import Busy, Spool, SpoolError, tidy
from runyard_agent.spool.stream import Stream

EVERYTHING = 2**40


class Lock:
    def __enter__(self):
        pass

    def __exit__(self, *_):
        pass


def all_of(spool: Spool, stream: str = "history", number: int = 0) -> list[tuple[int, Any]]:
    """Return the records of a stream with their numbers."""
    found: list[tuple[int, Any]] = []
    while True:
        batch = spool.read(stream, number, EVERYTHING)
        if not batch.payloads:
            return found
        found += [(batch.first + index, json.loads(payload)) for index, payload in enumerate(batch.payloads)]
        number = batch.end


def test_records_come_back_as_they_were(new_spool):
    """AGT-5: of every kind, with NaN; halves of surrogate pairs, which no server could read, are replaced."""
    spool = new_spool()
    spool.append("history", {"loss": float("inf"), "ü": [1, None, "\n\xff"]})
    spool.append("log", "half \ud83d of a pair")
    assert all_of(spool) == [(0, {"loss": float("inf"), "ü": [1, None, "\n\xff"]})]
    assert all_of(spool, "log") == [(0, "half ? of a pair")]
    assert spool.read("log", 0, EVERYTHING).payloads == [b'"half ? of a pair"']


def test_a_batch_is_bounded_and_goes_on_where_the_last_one_ended(new_spool):
    """AGT-5: at least one record, not much over a size, across segments."""
    spool = new_spool(max_bytes=64 * 4096)
    for number in range(500):
        spool.append("history", {"n": number, "text": "x" * 100})
    sizes, number = [], 0
    while number < 500:
        batch = spool.read("history", number, 1000)
        assert batch.first == number
        assert [json.loads(each)["n"] for each in batch.payloads] == list(range(number, batch.end))
        sizes.append(sum(map(len, batch.payloads)))
        number = batch.end
    assert max(sizes) <= 1000
    assert len(spool.read("history", 0, 1).payloads) == 1
    assert len(list(spool.folder.glob("history.*"))) > 5


def test_what_is_acknowledged_goes_by_whole_segments(new_spool):
    """AGT-5: and the position is known after a crash, with numbers that go on."""
    spool = new_spool(max_bytes=64 * 4096)
    for number in range(500):
        spool.append("history", number)
    before = spool.size()
    spool.acknowledge({"history": 490})
    assert spool.size() < before / 4
    assert all_of(spool, number=490) == [(number, number) for number in range(490, 500)]
    spool.close()
    with closing(Spool.open(spool.folder)) as again:
        assert again.waiting() == {"history": 10, "system": 0, "log": 0, "acts": 0}
        again.append("history", 500)
        assert all_of(again, number=499) == [(499, 499), (500, 500)]


def test_one_process_holds_a_spool(new_spool):
    """AGT-5: a second one is told who does; what is closed takes nothing."""
    spool = new_spool()
    with pytest.raises(Busy, match=f"in use by another process \\(PID {os.getpid()}\\)"):
        Spool.open(spool.folder)
    spool.close()
    with pytest.raises(SpoolError, match="closed"):
        spool.append("history", {})
    Spool.open(spool.folder).close()


@pytest.mark.parametrize("about", [None, "", "{}", "[]", '{"header": {}}'])
def test_a_folder_that_is_no_spool_is_told(tmp_path, about):
    """AGT-5: no stack traces for user errors."""
    if about is not None:
        (tmp_path / "spool.json").write_text(about)
    with pytest.raises(SpoolError, match="contains no recorded run|can't be read"):
        Spool.open(tmp_path)


def test_two_spools_of_one_second_have_names_of_their_own(new_spool):
    """AGT-5: also those of runs whose id no file system would take."""
    folders = {new_spool(uid="a/b").folder for _ in range(3)}
    assert len(folders) == 3
    assert {folder.parent.name for folder in folders} == {"spool"}


def _stream(folder: Path, damage: list[Path]) -> Stream:
    return Stream(folder, "log", segment_bytes=300, on_damage=damage.append)


def _written(folder: Path, count: int) -> list[Path]:
    stream = _stream(folder, [])
    for number in range(count):
        assert stream.append(b'"%d"' % number) is None
    stream.close()
    return sorted(folder.glob("log.*"))


def _read(stream: Stream, end: int) -> list[tuple[int, bytes]]:
    found, number = [], 0
    while number < end:
        batch = stream.read(number, EVERYTHING, Lock())
        found += list(enumerate(batch.payloads, batch.first))
        number = batch.end
    return found


@settings(deadline=None)
@given(st.data())
def test_a_torn_end_is_cut_off_and_writing_goes_on(data):
    """AGT-5: whatever was cut away of the newest file, all whole records before it are read, once."""
    with tempfile.TemporaryDirectory() as name:
        newest = _written(Path(name), 30)[-1]
        size = newest.stat().st_size
        cut = data.draw(st.integers(0, size))
        with newest.open("r+b") as file:
            file.truncate(cut)
            file.seek(cut)
            file.write(data.draw(st.binary(max_size=40)))
        damage: list[Path] = []
        stream = _stream(Path(name), damage)
        end = stream.next
        assert int(newest.suffix[1:]) <= end <= 30
        stream.append(b'"new"')
        expected = [(number, b'"%d"' % number) for number in range(end)] + [(end, b'"new"')]
        assert _read(stream, stream.next) == expected
        assert damage == []
        stream.close()


@settings(deadline=None)
@given(st.data())
def test_damage_in_the_middle_costs_the_damaged_records_alone(data):
    """AGT-5: flipped bytes; the rest keeps its numbers, and the damage is told."""
    with tempfile.TemporaryDirectory() as name:
        path = data.draw(st.sampled_from(_written(Path(name), 30)[:-1]))
        content = bytearray(path.read_bytes())
        begin = data.draw(st.integers(0, len(content) - 1))
        length = data.draw(st.integers(1, 40))
        for index in range(begin, min(begin + length, len(content))):
            content[index] ^= data.draw(st.integers(1, 255))
        path.write_bytes(content)
        damage: list[Path] = []
        stream = _stream(Path(name), damage)
        found = _read(stream, stream.next)
        missing = set(range(30)) - {number for number, _ in found}
        assert all(payload == b'"%d"' % number for number, payload in found)
        assert [number for number, _ in found] == sorted({number for number, _ in found})
        assert 1 <= len(missing) <= 2 + length // 20
        assert max(missing) - min(missing) == len(missing) - 1
        assert set(damage) == {path}
        _read(stream, stream.next)
        assert len(damage) <= 2, "told once"
        stream.close()


def test_when_room_ends_system_samples_go_first_then_the_console_then_history(new_spool):
    """AGT-5: size-bounded; counted, told, and visible by the numbers that are missing."""
    spool = new_spool(max_bytes=64 * 4096)
    said: list[str] = []
    spool.on_message = said.append
    for stream in ("system", "log", "acts"):
        for _ in range(100):
            spool.append(stream, {"act": "alert", "text": "x" * 500})
    count = 0
    for watched, order in (
        ("system", ["system"]),
        ("log", ["system", "log"]),
        ("history", ["system", "log", "history"]),
    ):
        while not spool.dropped[watched]:
            spool.append("history", {"text": "x" * 500})
            count += 1
        assert [name for name, dropped in spool.dropped.items() if dropped] == order
    assert spool.size() <= 64 * 4096
    assert spool.dropped["system"] == spool.dropped["log"] == 100
    history = all_of(spool)
    assert [number for number, _ in history] == list(range(spool.dropped["history"], count))
    assert len(all_of(spool, "acts")) == 100
    assert spool.read("system", 0, EVERYTHING) == (100, [])
    spool.close()
    assert "no space left" in said[0]
    assert f"100 of system, 100 of log, {spool.dropped['history']} of history" in said[-1]
    assert len(said) == 4, "each once"


def test_acts_that_later_ones_replace_take_no_room(new_spool):
    """AGT-5: a summary every step does not fill the disk; the latest ones and all others stay."""
    spool = new_spool(max_bytes=64 * 4096)
    for number in range(2000):
        spool.append("acts", {"act": "summary", "summary": {"n": number, "text": "x" * 100}})
        if number % 500 == 0:
            spool.append("acts", {"act": "alert", "id": str(number)})
            spool.append("acts", {"act": "config", "config": {"n": number}})
    assert spool.size() < 3 * 4096
    acts = [act for _, act in all_of(spool, "acts")]
    assert [act["id"] for act in acts if act["act"] == "alert"] == ["0", "500", "1000", "1500"]
    assert [act["config"]["n"] for act in acts if act["act"] == "config"][-1] == 1500
    assert acts[-1]["summary"]["n"] == 1999
    spool.close()
    with closing(Spool.open(spool.folder)) as again:
        assert [act for _, act in all_of(again, "acts")] == acts


FULL_DISK = """
import json, sys
from pathlib import Path
from typing import Any
from runyard_agent.spool import Spool
root, make_room, no_room = Path(sys.argv[1]), sys.argv[2], sys.argv[3]
exec(no_room)
header = {"uid": "r", "writer": "0123456789abcdef"}
spool = Spool.create(root, header, max_bytes=2**30)
said = []
spool.on_message = said.append
for number in range(3000):
    spool.append("history", {"n": number, "text": "x" * 100})
def all_numbers():
    found, number = [], 0
    while number < 3000:
        batch = spool.read("history", number, 10**9)
        found += [json.loads(payload)["n"] for payload in batch.payloads]
        number = batch.end
    return found
full = {"on disk": spool.size(), "all": all_numbers() == list(range(3000)), "said": list(said)}
exec(make_room)
spool._flush()
written = {"all": all_numbers() == list(range(3000)), "in memory": len(spool._streams["history"].memory), "said": list(said)}
spool.close()
spool = Spool.open(spool.folder)
print(json.dumps([full, written, all_numbers() == list(range(3000))]))
"""


def _on_full_disk(root: Path, *, no_room: str, make_room: str) -> list[Any]:
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])}
    done = subprocess.run(
        [sys.executable, "-c", FULL_DISK, str(root), make_room, no_room],
        env=environment, capture_output=True, text=True, timeout=PATIENCE_S, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: list[Any] = json.loads(done.stdout)
    return found


@pytest.mark.parametrize("disk", ["limit", "tmpfs"])
def test_a_full_disk_loses_nothing_while_memory_lasts(tmp_path, disk):
    """AGT-5: records wait in memory, are read from there, and go to the disk once there is room; told once."""
    if disk == "tmpfs":
        (tmp_path / "disk").mkdir()
        mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=100k", "none", str(tmp_path / "disk")], capture_output=True, check=False)  # fmt: skip
        if mounted.returncode:
            pytest.skip("only root mounts a small file system")
        make_room = f"import subprocess; subprocess.run(['mount', '-o', 'remount,size=2m', {str(tmp_path / 'disk')!r}], check=True)"
        no_room, error = "", "No space left on device"
    else:
        hard = resource.getrlimit(resource.RLIMIT_FSIZE)[1]
        no_room = f"import resource; resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, {hard}))"
        make_room = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({hard}, {hard}))"
        error = "File too large"
    try:
        full, written, reopened = _on_full_disk(
            tmp_path / "disk", no_room=no_room, make_room=make_room + "; import time; time.sleep(1.1)"
        )
    finally:
        if disk == "tmpfs":
            subprocess.run(["umount", str(tmp_path / "disk")], check=True)
    assert full["on disk"] <= 102_400
    assert full["all"]
    assert len(full["said"]) == 1
    assert error in full["said"][0]
    assert written["all"]
    assert written["in memory"] == 0
    assert written["said"][1:] == [full["said"][0].split(" can't")[0] + " can be written again"]
    assert reopened


def test_memory_is_bounded_when_the_disk_stays_full(new_spool):
    """AGT-5: the oldest system samples are dropped first there, too, and counted."""
    spool = new_spool()
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    said: list[str] = []
    spool.on_message = said.append
    resource.setrlimit(resource.RLIMIT_FSIZE, (0, limits[1]))
    try:
        for _ in range(100):
            spool.append("system", "x" * 1000)
        for _ in range(9000):
            spool.append("history", "x" * 1000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
    held = sum(each.memory_bytes for each in spool._streams.values())
    assert 7 * 2**20 < held <= 8 * 2**20
    assert spool.dropped["system"] == 100
    assert 0 < spool.dropped["history"] < 1000
    assert [number for number, _ in all_of(spool)] == list(range(spool.dropped["history"], 9000))


def test_what_a_killed_process_left_half_removed_is_tidied_away(new_spool, tmp_path):
    """AGT-5: but not what another one holds; spools stay."""
    held, left = new_spool(), new_spool()
    left.close()
    for spool in (held, left):
        spool.folder.rename(spool.folder.with_name(f".{spool.folder.name}"))
    other = new_spool()
    other.close()
    tidy(tmp_path / "spool")
    assert {folder.name for folder in (tmp_path / "spool").iterdir()} == {
        f".{held.folder.name}",
        other.folder.name,
    }
    with pytest.raises(Busy, match="was sent and removed"):
        Spool.open(left.folder)


def test_no_spool_can_be_made_where_nothing_can_be_written():
    """AGT-5: told in a sentence."""
    with pytest.raises(SpoolError, match="no spool can be created in /proc/x"):
        Spool.create(Path("/proc/x"), {"uid": "r"}, max_bytes=1)
