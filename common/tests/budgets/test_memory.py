"""What JSON takes decoded, estimated before it is."""

import json
import sys
import threading
import time
from typing import Any

import pytest

from common.budgets import memory
from common.budgets.budget import Budget, budget_of
from common.budgets.memory import decoded_bytes, reserve_decoded
from common.errors import TooLarge, Unavailable


def real_bytes(value: Any) -> int:
    size = sys.getsizeof(value)
    if isinstance(value, dict):
        return size + sum(real_bytes(key) + real_bytes(item) for key, item in value.items())
    return size + sum(map(real_bytes, value)) if isinstance(value, list) else size


@pytest.mark.parametrize(
    "value",
    [
        [{}] * 1000, [[]] * 1000, [{"a": 1}] * 1000, [0.5] * 1000, [[1, 2]] * 1000, ["ab"] * 1000,
        {str(number): number for number in range(1000)}, {"a": {"b": {"c": [[{}], {"d": None}]}}}, "x" * 1000, [],
    ],
)  # fmt: skip
def test_no_value_takes_much_more_than_was_estimated(value: Any) -> None:
    text = json.dumps(value).encode()
    assert real_bytes(json.loads(text)) < 2 * decoded_bytes(text) + 500


def test_what_one_request_may_take_is_stated(settings: Any) -> None:
    settings.DECODED_MAX_BYTES = 2**20
    with pytest.raises(TooLarge, match=r"one request may take 1 MiB \(setting RUNYARD_DECODED_MAX_MIB\)"):
        reserve_decoded(b"[" + b"{}," * 10_000 + b"{}]")


def test_large_ones_wait_for_each_other_and_none_stays_reserved(
    settings: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings.DECODED_MAX_BYTES = 3 * 2**20
    text = b"[" + b"{}," * 6000 + b"{}]"
    monkeypatch.setattr(memory, "_WAIT_S", 0.1)
    with budget_of(Budget()):
        reserve_decoded(text)
        with budget_of(Budget()), pytest.raises(Unavailable):
            reserve_decoded(text)
        waiting = threading.Thread(target=_reserve_for_itself, args=[text])
        monkeypatch.setattr(memory, "_WAIT_S", 30)
        waiting.start()
        time.sleep(0.01)
    waiting.join()
    assert memory._shared._reserved == 0


def _reserve_for_itself(text: bytes) -> None:
    with budget_of(Budget()):
        reserve_decoded(text)


def test_a_manifest_may_take_several_times_as_much_and_no_more(settings: Any) -> None:
    settings.DECODED_MAX_BYTES = 2**20
    reserve_decoded(b"[" + b"{}," * 6000 + b"{}]", 3)
    with pytest.raises(TooLarge, match="may take 3 MiB"):
        reserve_decoded(b"[" + b"{}," * 20_000 + b"{}]", 3)
