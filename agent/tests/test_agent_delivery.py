"""AGT-5, AGT-8: what is in the spool arrives, in order, once, whatever the network and the server do."""

from __future__ import annotations

import email.utils
import threading
import time

import pytest
import time_machine
from recorded import PATIENCE_S, until

import fake_server
from fake_server import KEY, Answer, Fault, error
from runyard_agent import delivery as delivery_module
from runyard_agent.pauses import Pauses
from runyard_agent.server import Begun, Refused, RunName, Server, Unreachable
from runyard_agent.settings import SettingsError, load
from runyard_agent.spool import Spool
from runyard_agent.times import time_now


@pytest.fixture(autouse=True)
def quick(monkeypatch):
    """Let posts follow each other at once."""
    monkeypatch.setattr(delivery_module, "_SPACING_S", 0.005)


def fill(spool: Spool, count: int, first: int = 0) -> None:
    for number in range(first, first + count):
        spool.append("history", {"_step": number, "loss": 1 / (number + 1)})
        spool.append("log", f"2026-11-22T10:00:00.000000 line {number}")
        if number % 10 == 0:
            spool.append("system", {"_runtime": number, "system.cpu": 12.5})


def assert_whole(run: fake_server.Run, count: int) -> None:
    assert run.records("history") == [{"_step": number, "loss": 1 / (number + 1)} for number in range(count)]
    assert run.records("log") == [f"2026-11-22T10:00:00.000000 line {number}" for number in range(count)]
    assert [row["_runtime"] for row in run.records("system")] == list(range(0, count, 10))
    assert run.gaps == []


def test_a_run_is_begun_logged_and_ended(fake, new_spool, deliver, tmp_path):
    """AGT-8: begin, stream, config, summary, alert, file, finish; then the spool is gone."""
    begun: list[Begun] = []
    spool = new_spool(config={"lr": 0.1}, tags=["a"])
    (tmp_path / "model.bin").write_bytes(b"\0" * 100_000)
    sending = deliver(spool, on_begun=begun.append)
    fill(spool, 100)
    spool.append("acts", {"act": "config", "config": {"lr": 0.2, "bad": float("nan")}})
    spool.append("acts", {"act": "summary", "summary": {"loss": 1}})
    spool.append(
        "acts", {"act": "alert", "id": "a1", "title": "t", "text": "x", "level": "WARN", "wait_s": 0}
    )
    spool.append("acts", {"act": "file", "name": "m/model.bin", "path": str(tmp_path / "model.bin")})
    spool.append("acts", {"act": "file", "name": "gone", "path": str(tmp_path / "gone")})
    spool.append("acts", {"act": "preempting"})
    spool.append("acts", {"act": "summary", "summary": {"loss": 2}})
    spool.append("acts", {"act": "finish", "exit_code": 3})
    assert sending.drain(PATIENCE_S)
    run = fake.run("r")
    assert_whole(run, 100)
    assert (run.config["lr"], run.summary, run.preempting) == (0.2, {"loss": 2}, True)
    assert run.config["bad"] != run.config["bad"]
    assert (run.state, run.exit_code) == ("failed", 3)
    assert run.alerts == {"a1": {"id": "a1", "title": "t", "text": "x", "level": "WARN", "wait_s": 0}}
    assert run.files == {"m/model.bin": b"\0" * 100_000}
    assert [text for text in sending.said if "gone was not uploaded" in text]
    assert begun == [sending.begun]
    assert (sending.begun.url, sending.begun.inserted) == (f"{fake.url}/ada/p/r", True)
    assert sending.state == "failed"
    assert not spool.folder.exists()
    assert "finish" in fake.posts()[-1], "the end comes last"
    assert not [post for post in fake.posts()[:-1] if "finish" in post]


def test_what_is_appended_goes_out_soon_and_in_few_posts(fake, new_spool, deliver, monkeypatch):
    """AGT-5: the first record at once, those of the next second together, compressed."""
    monkeypatch.setattr(delivery_module, "_SPACING_S", 0.2)
    spool = new_spool()
    deliver(spool)
    fill(spool, 1)
    until(lambda: fake.runs and len(fake.run("r").records("history")) == 1)
    for number in range(1, 101):
        fill(spool, 1, first=number)
        time.sleep(0.002)
    until(lambda: len(fake.run("r").records("history")) == 101)
    assert_whole(fake.run("r"), 101)
    assert len(fake.posts()) < 30
    compressed = [
        headers.get("Content-Encoding") for _, path, headers, _ in fake.requests if path.endswith("/stream")
    ]
    assert "gzip" in compressed
    assert len({headers["Host"] for _, _, headers, _ in fake.requests}) == 1


FAULTS = {
    "500": Fault(status=500),
    "503": fake_server.UNAVAILABLE,
    "429": Fault(status=429, retry_after="0"),
    "answer lost": fake_server.LOST_ANSWER,
    "request lost": fake_server.LOST_REQUEST,
    "request cut": fake_server.CUT_REQUEST,
    "answer cut": fake_server.CUT_ANSWER,
    "twice": fake_server.TWICE,
    "old post again": fake_server.OLD_AGAIN,
    "slow": Fault(slow_s=0.2, answers=True),
}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
@pytest.mark.parametrize("at", [0, 1, 3])
def test_no_fault_loses_or_doubles_anything(fake, new_spool, deliver, fault, at):
    """AGT-5: at the beginning of the run, at the first post, later; two in a row."""
    spool = new_spool(resume="allow")  # with "never" who begins a run twice is refused
    fake.faults.extend([Fault(answers=True)] * at + [fault, fault])
    sending = deliver(spool)
    for first in range(0, 300, 50):
        fill(spool, 50, first)
        until(lambda: not any(sending.waiting().values()))
    spool.append("acts", {"act": "finish", "exit_code": 0})
    assert sending.drain(PATIENCE_S)
    assert_whole(fake.run("r"), 300)
    assert fake.run("r").state == "finished"
    assert not fake.faults


def test_random_faults_lose_and_double_nothing(fake, new_spool, deliver, monkeypatch):
    """AGT-5: a third of all requests goes wrong, of files and alerts, too."""
    monkeypatch.setattr("runyard_agent.pauses._FIRST_S", 0.01)
    spool = new_spool(resume="allow")
    fake.chance = 0.3
    sending = deliver(spool)
    for first in range(0, 2000, 50):
        fill(spool, 50, first)
        path = spool.folder / f"{first}.txt"
        path.write_text(str(first))
        spool.append("acts", {"act": "file", "name": path.name, "path": str(path)})
        spool.append("acts", {"act": "alert", "id": str(first), "title": "t"})
        time.sleep(0.005)
    spool.append("acts", {"act": "finish", "exit_code": 0})
    assert sending.drain(PATIENCE_S), (sending.said, sending.waiting())
    run = fake.run("r")
    assert_whole(run, 2000)
    assert run.files == {f"{first}.txt": str(first).encode() for first in range(0, 2000, 50)}
    assert list(run.alerts) == [str(first) for first in range(0, 2000, 50)]


def test_a_server_that_is_down_for_long_is_told_once_and_waited_for(fake, new_spool, deliver):
    """AGT-5: from before the run began; logging goes on, pauses grow, all arrives."""
    fake.stop()
    spool = new_spool()
    sending = deliver(spool)
    fill(spool, 200)
    until(lambda: sending.said)
    assert sending.drain(0.5) is False
    assert sending.waiting() == {"history": 200, "system": 20, "log": 200, "acts": 0}
    fake.start()
    fill(spool, 100, 200)
    assert sending.drain(PATIENCE_S)
    assert_whole(fake.run("r"), 300)
    assert len(sending.said) == 2
    assert str(spool.folder) in sending.said[0]
    assert "Connection refused" in sending.said[0]
    assert KEY not in "".join(sending.said)


def test_pauses_grow_to_five_minutes_with_jitter_and_begin_anew():
    """AGT-5: growing pauses, so that a fleet does not come back at once."""
    pauses = [[each.after_failure() for _ in range(20)] for each in (Pauses(), Pauses())]
    for number, pause in enumerate(pauses[0]):
        assert min(0.5 * 2**number, 300) / 2 <= pause <= min(0.5 * 2**number, 300)
    assert pauses[0] != pauses[1]
    one = Pauses()
    assert 40 <= one.after_failure(40) <= 44
    one.reset()
    assert one.after_failure() <= 0.5


@pytest.mark.parametrize("form", ["seconds", "date"])
def test_retry_after_is_obeyed(fake, new_spool, deliver, form):
    """AGT-5: as seconds, or as a date by the server's own clock; also while somebody waits for the end."""
    now = time.time() - 86400  # the server's clock may be wrong
    told = {"seconds": "1", "date": email.utils.formatdate(now + 2, usegmt=True)}[form]
    spool = new_spool()
    fill(spool, 1)
    fake.faults.append(Fault(status=429, retry_after=told, date=email.utils.formatdate(now, usegmt=True)))
    begun = time.monotonic()
    assert deliver(spool).drain(PATIENCE_S)
    assert time.monotonic() - begun >= 1.0
    assert len(fake.requests) == 3, "refused, begun, posted"


def test_clocks_that_jump_change_nothing(fake, new_spool, deliver):
    """AGT-5: by years, in both directions, while requests fail."""
    spool = new_spool()
    with time_machine.travel(0.0, tick=True) as clock:
        sending = deliver(spool, heartbeat_s=3600)
        for number, year in enumerate([2100, 1980, 2038, 1971]):
            clock.move_to((year - 1970) * 31_536_000.0)
            fake.faults.append(Fault(status=500))
            fill(spool, 50, number * 50)
            until(lambda: fake.runs and len(fake.run("r").records("log")) == (number + 1) * 50)  # noqa: B023 - called at once
        assert sending.drain(PATIENCE_S)
    assert_whole(fake.run("r"), 200)
    assert all(len(post) > 1 for post in fake.posts()), "no sign of life was due"


@pytest.mark.parametrize(
    ("status", "code", "is_final"),
    [
        (400, "invalid", True),
        (404, "not_found", True),
        (410, "gone", True),
        (401, "unauthenticated", False),
        (403, "forbidden", False),
    ],
)
@pytest.mark.parametrize("begun", [False, True])
def test_a_refusal_is_told_in_a_sentence_and_leaves_the_spool(
    fake, new_spool, deliver, status, code, is_final, begun
):
    """AGT-5: it ends the sending; a key may be mended, so that 401 and 403 are tried again later."""
    spool = new_spool()
    sending = deliver(spool)
    if begun:
        fill(spool, 1)
        until(lambda: fake.runs and fake.run("r").records("log"))
    fake.refuses = error(status, code, "That is not to be.")
    fill(spool, 10, first=int(begun))
    if not begun:
        sending.close()
        sending = deliver(spool)
    assert sending.drain(PATIENCE_S) is False
    assert (sending.refused.status, sending.refused.code) == (status, code)
    assert len(sending.said) == 1
    assert f"({status}). That is not to be. " in sending.said[0]
    assert str(spool.folder) in sending.said[0]
    assert ("every few minutes" in sending.said[0]) is not is_final
    sending._thread.join(PATIENCE_S if is_final else 0.2)
    assert sending._thread.is_alive() is not is_final
    sending.close()
    spool.close()
    fake.refuses = None
    again = Spool.open(spool.folder)
    assert deliver(again).drain(PATIENCE_S)
    assert_whole(fake.run("r"), 10 + begun)


def test_a_key_that_is_mended_goes_on(fake, new_spool, deliver, monkeypatch):
    """AGT-5: without a new start."""
    monkeypatch.setattr(delivery_module, "_REFUSED_PAUSE_S", 0.05)
    fake.refuses = error(403, "forbidden", "No.")
    spool = new_spool()
    sending = deliver(spool)
    fill(spool, 10)
    until(lambda: sending.refused)
    fake.refuses = None
    until(lambda: fake.runs and len(fake.run("r").records("log")) == 10)
    until(lambda: len(sending.said) == 2)
    assert sending.refused is None


def test_posts_that_are_too_large_are_made_smaller(fake, new_spool, deliver):
    """AGT-5: 413; a record that is too large alone is left out, told, and seen as a gap."""
    fake.max_bytes = 3000
    spool = new_spool()
    for number in range(60):
        spool.append("history", {"n": number, "x": "y" * (5000 if number == 30 else 500)})
        spool.append("log", f"2026-11-22T10:00:00.000000 {number}")
    spool.append("acts", {"act": "summary", "summary": {"x": "y" * 2500}})
    spool.append("acts", {"act": "finish", "exit_code": 0})
    sending = deliver(spool)
    assert sending.drain(PATIENCE_S)
    run = fake.run("r")
    assert [row["n"] for row in run.records("history")] == [number for number in range(60) if number != 30]
    assert len(run.records("log")) == 60
    assert run.gaps == [("history", 30, 31)]
    assert (len(run.summary["x"]), run.state) == (2500, "finished")
    assert [text for text in sending.said if "was skipped" in text]


def test_a_summary_that_is_too_large_ends_the_sending_in_a_sentence(fake, new_spool, deliver):
    """AGT-5: there is no smaller one."""
    fake.max_bytes = 3000
    spool = new_spool()
    fill(spool, 1)
    spool.append("acts", {"act": "summary", "summary": {"x": "y" * 5000}})
    sending = deliver(spool)
    assert sending.drain(PATIENCE_S) is False
    assert sending.refused.status == 413


def test_a_server_that_lost_what_it_confirmed_is_given_it_again(fake, new_spool, deliver):
    """AGT-5: 409 says what it expects; what is not on disk any more is said to be lost."""
    spool = new_spool(max_bytes=64 * 4096)
    sending = deliver(spool)
    fill(spool, 500)
    until(lambda: len(fake.run("r").records("log")) == 500 if fake.runs else False)
    until(lambda: not any(sending.waiting().values()))
    with fake.lock:
        run = fake.run("r")
        for stream in ("history", "log"):
            for number in range(100, 500):
                del run.rows[stream, "0123456789abcdef"][number]
            run.next[stream, "0123456789abcdef"] = 100
    fill(spool, 10, 500)
    assert sending.drain(PATIENCE_S)
    gaps = {stream: (first, end) for stream, first, end in run.gaps}
    for stream in ("history", "log"):
        assert gaps[stream][0] == 100
        assert gaps[stream][1] < 500, "the newest segment was still there"
        assert len(run.records(stream)) == 100 + 510 - gaps[stream][1]


def test_what_was_dropped_is_shown_as_a_gap(fake, new_spool, deliver):
    """AGT-5: lost_before, also where nothing follows."""
    spool = new_spool(max_bytes=64 * 4096)
    spool.on_message = lambda text: None
    for number in range(50):
        spool.append("system", {"_runtime": number})
    for number in range(1000):
        spool.append("history", {"n": number, "x": "y" * 500})
    assert deliver(spool).drain(PATIENCE_S)
    run = fake.run("r")
    dropped = spool.dropped["history"]
    assert sorted(run.gaps) == [("history", 0, dropped), ("system", 0, 50)]
    assert [row["n"] for row in run.records("history")] == list(range(dropped, 1000))
    assert run.offsets("0123456789abcdef") == {"history": 1000, "system": 50, "log": 0}


def test_never_is_kept_unless_the_first_try_may_have_arrived(fake, new_spool, deliver):
    """AGT-8: a repeat of an unanswered try says allow; one that surely did not arrive, never."""
    fake.faults.append(fake_server.LOST_ANSWER)
    assert deliver(new_spool()).drain(PATIENCE_S)
    assert [body["resume"] for _, path, _, body in fake.requests if path.endswith("/runs")] == [
        "never",
        "allow",
    ]
    fake.requests.clear()
    fake.faults.append(Fault(status=503))
    taken = deliver(new_spool())
    assert taken.drain(PATIENCE_S) is False
    assert (taken.refused.status, taken.refused.code) == (409, "conflict")
    assert [body["resume"] for _, _, _, body in fake.requests] == ["never", "never"]


def test_signs_of_life_and_the_stop(fake, new_spool, deliver):
    """AGT-8: a run without news says that it lives, and hears once that it should stop."""
    stops: list[str] = []
    spool = new_spool()
    sending = deliver(spool, heartbeat_s=0.02, on_stop=lambda: stops.append("stop"))
    until(lambda: fake.runs and fake.run("r").signs_of_life > 3)
    assert fake.posts()[-1] == {"writer": "0123456789abcdef"}
    fake.run("r").stop_requested = True
    until(lambda: stops)
    lives = fake.run("r").signs_of_life
    until(lambda: fake.run("r").signs_of_life > lives + 3)
    assert stops == ["stop"]
    assert sending.stop_requested
    spool.append("acts", {"act": "finish", "exit_code": 0})
    until(lambda: fake.run("r").state == "finished")
    until(lambda: not any(sending.waiting().values()))
    count = len(fake.posts())
    time.sleep(0.2)
    assert len(fake.posts()) == count, "an ended run does not say that it lives"


def test_who_is_attached_brings_samples_alone(fake, new_spool, deliver):
    """AGT-2: no sign of life, no description, no end."""
    fake.runs["ada/p/r"] = fake_server.Run({"config": {"lr": 1}})
    spool = new_spool(attached=True, resume="must")
    sending = deliver(spool, heartbeat_s=0.02)
    for act in (
        {"act": "config", "config": {}},
        {"act": "summary", "summary": {}},
        {"act": "preempting"},
        {"act": "finish", "exit_code": 1},
    ):
        spool.append("acts", act)
    spool.append("system", {"_runtime": 1})
    until(lambda: not any(sending.waiting().values()))
    time.sleep(0.1)
    assert sending.drain(PATIENCE_S)
    run = fake.run("r")
    assert fake.posts() == [
        {"writer": "0123456789abcdef", "attached": True, "system": {"offset": 0, "rows": [{"_runtime": 1}]}}
    ]
    assert (run.signs_of_life, run.state, run.config) == (0, "running", {"lr": 1})


def test_a_large_file_delays_no_rows(fake, new_spool, deliver, tmp_path):
    """AGT-5: files go beside the rows; the end of the run waits for them."""
    gate = threading.Event()
    keep = fake._keep_file

    def slowly(parts, body):
        fake.lock.release()
        gate.wait(PATIENCE_S)
        fake.lock.acquire()
        return keep(parts, body)

    fake._keep_file = slowly
    (tmp_path / "big").write_bytes(b"x" * 2**20)
    spool = new_spool()
    sending = deliver(spool)
    spool.append("acts", {"act": "file", "name": "big", "path": str(tmp_path / "big")})
    until(lambda: any(method == "PUT" for method, _, _, _ in fake.requests))
    fill(spool, 10)
    spool.append("acts", {"act": "finish", "exit_code": 0})
    until(lambda: len(fake.run("r").records("log")) == 10)
    assert sending.drain(0.1) is False
    assert fake.run("r").state == "running"
    gate.set()
    assert sending.drain(PATIENCE_S)
    assert fake.run("r").state == "finished"
    assert len(fake.run("r").files["big"]) == 2**20


def test_a_file_that_is_refused_holds_up_no_others(fake, new_spool, deliver, tmp_path):
    """AGT-5: told by its name."""
    (tmp_path / "x").write_text("x")
    answer = fake.answer
    refusal = error(400, "invalid", "That is no name.")
    fake.answer = lambda method, path, body: (
        refusal if path.endswith("/uploads") and "bad" in body["names"] else answer(method, path, body)
    )
    spool = new_spool()
    for name in ("a", "bad", "b"):
        spool.append("acts", {"act": "file", "name": name, "path": str(tmp_path / "x")})
    sending = deliver(spool)
    assert sending.drain(PATIENCE_S)
    assert sorted(fake.run("r").files) == ["a", "b"]
    assert sending.said == ["bad was not uploaded: That is no name (400)"]


def test_a_reopened_spool_goes_on_without_beginning_anew(fake, new_spool, deliver):
    """AGT-5: what changed since stays; the position is the server's, not the one on disk."""
    spool = new_spool(config={"lr": 1})
    sending = deliver(spool)
    fill(spool, 50)
    spool.append("acts", {"act": "config", "config": {"lr": 2}})
    until(lambda: fake.runs and len(fake.run("r").records("log")) == 50 and fake.run("r").config == {"lr": 2})
    sending.close()
    spool.close()
    (spool.folder / "state.json").write_text(
        (spool.folder / "state.json").read_text().replace('"log":50', '"log":7')
    )
    again = Spool.open(spool.folder)
    fill(again, 50, 50)
    fake.requests.clear()
    assert deliver(again).drain(PATIENCE_S)
    assert_whole(fake.run("r"), 100)
    assert fake.run("r").config == {"lr": 2}
    assert [path for _, path, _, _ in fake.requests if path.endswith("/runs")] == []
    assert next(post["log"]["offset"] for post in fake.posts() if "log" in post) == 50


def test_what_is_kept_can_be_sent_to_another_server(fake, new_spool, deliver):
    """AGT-5: keep_sent; the folder stays, and a server that knows nothing of it is told everything."""
    spool = new_spool(keep_sent=True, config={"lr": 1})
    fill(spool, 100)
    spool.append("acts", {"act": "summary", "summary": {"loss": 1}})
    spool.append("acts", {"act": "finish", "exit_code": 0})
    assert deliver(spool).drain(PATIENCE_S)
    fake.runs.clear()
    again = Spool.open(spool.folder)
    assert not any(again.waiting().values())
    assert deliver(again).drain(PATIENCE_S)
    run = fake.run("r")
    assert_whole(run, 100)
    assert (run.config, run.summary, run.state) == ({"lr": 1}, {"loss": 1}, "finished")
    assert spool.folder.exists()


@pytest.mark.parametrize(
    ("url", "key", "message"),
    [("", KEY, "set url"), ("http://h", "", "set api_key"), ("h:1", KEY, "does not begin with https")],
)
def test_a_server_that_is_not_set_is_told(url, key, message):
    """AGT-8: before anything is sent."""
    with pytest.raises(SettingsError, match=message):
        Server(load({"url": url}, environment={"RUNYARD_API_KEY": key, "RUNYARD_CONFIG": "/none"}))


def test_answers_of_something_else_are_no_refusals(fake):
    """AGT-5: a proxy's 404 or page may be gone in a minute; the key is in no message."""
    server = Server(load({"url": fake.url}, environment={"RUNYARD_API_KEY": KEY, "RUNYARD_CONFIG": "/none"}))
    for answer in (
        Answer(404, {}),
        Answer(200, {"hello": 1}),
        Answer(302, {}),
        Answer(200, {"sent": None, "offsets": 3}),
    ):
        fake.refuses = answer
        with pytest.raises(Unreachable, match="unlike a Runyard server") as caught:
            server.offsets(RunName("ada", "p", "r"), "0123456789abcdef")
        assert KEY not in str(caught.value)
    fake.refuses = None
    assert server.who()["username"] == "ada"
    with pytest.raises(Refused, match="There is no such run") as refused:
        server.alert(RunName("ada", "p", "r"), {"id": "1"})
    assert refused.value.status == 404
    server.close()


def test_a_certificate_nobody_vouches_for_is_refused(fake):
    """AGT-8: TLS is verified, and there is no way around it."""
    with pytest.raises(Unreachable, match="can't be reached|gave no answer"):
        Server(
            load(
                {"url": fake.url.replace("http:", "https:")},
                environment={"RUNYARD_API_KEY": KEY, "RUNYARD_CONFIG": "/none"},
            )
        ).who()


@pytest.mark.parametrize(("ago_s", "is_told"), [(0, False), (3600, True)])
def test_a_run_that_is_sent_later_says_when_it_ran(fake, new_spool, deliver, ago_s, is_told):
    """AGT-5: one that is sent at once does not, since the server's clock is right."""
    with time_machine.travel(time.time() - ago_s):
        began_at = time_now()
        spool = new_spool(started_at=began_at)
        spool.append("acts", {"act": "finish", "exit_code": 0, "at": time_now()})
    assert deliver(spool).drain(PATIENCE_S)
    assert (fake.run("r").header.get("started_at") == began_at) is is_told
    assert ("ended_at" in fake.posts()[-1]["finish"]) is is_told
