"""Group commit for coroutines."""

import asyncio
import threading
from collections.abc import Sequence

import pytest

from common.database.group_commit import GroupCommit
from common.errors import Invalid


class Written:
    """What was written, group by group; the first group waits until it may go on."""

    def __init__(self) -> None:
        self.groups: list[list[int]] = []
        self.may_go_on = threading.Event()

    def __call__(self, items: Sequence[int]) -> list[str | Exception]:
        self.groups.append(list(items))
        self.may_go_on.wait(10)
        return [Invalid(f"{item} is odd") if item % 2 else str(item) for item in items]


async def _store_many(
    group: GroupCommit[int, str], written: Written, count: int
) -> list[str | BaseException]:
    tasks = [asyncio.create_task(group.store(item)) for item in range(count)]
    await asyncio.sleep(0.05)
    written.may_go_on.set()
    return await asyncio.gather(*tasks, return_exceptions=True)


def test_what_comes_during_a_write_makes_up_the_next_group() -> None:
    written = Written()
    answers = asyncio.run(_store_many(GroupCommit(written, at_most=3), written, 8))
    assert written.groups == [[0, 1, 2], [3, 4, 5], [6, 7]]
    assert [str(answer) for answer in answers] == [
        "0", "1 is odd", "2", "3 is odd", "4", "5 is odd", "6", "7 is odd"
    ]  # fmt: skip


def test_who_comes_alone_is_written_alone_and_at_once() -> None:
    written = Written()
    written.may_go_on.set()
    group = GroupCommit[int, str](written, at_most=3)

    async def one_after_the_other() -> None:
        for item in (0, 2, 4):
            assert await group.store(item) == str(item)

    asyncio.run(one_after_the_other())
    asyncio.run(one_after_the_other())
    assert written.groups == [[0], [2], [4]] * 2


def test_who_goes_away_takes_nobody_along() -> None:
    written = Written()
    group = GroupCommit[int, str](written, at_most=3)

    async def leave() -> str:
        leaving = asyncio.create_task(group.store(0))
        staying = asyncio.create_task(group.store(2))
        await asyncio.sleep(0.05)
        leaving.cancel()
        written.may_go_on.set()
        with pytest.raises(asyncio.CancelledError):
            await leaving
        return await staying

    assert asyncio.run(leave()) == "2"


def test_a_write_that_fails_as_a_whole_fails_for_each() -> None:
    def fail(items: Sequence[int]) -> list[str | Exception]:
        raise MemoryError(f"{len(items)} are too many")

    async def store() -> list[str | BaseException]:
        group = GroupCommit[int, str](fail, at_most=2)
        return await asyncio.gather(*(group.store(item) for item in range(3)), return_exceptions=True)

    assert [type(answer) for answer in asyncio.run(store())] == [MemoryError] * 3
