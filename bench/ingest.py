"""CPU of a durable post, from body to commit, against only decoding the same bodies; both without HTTP."""

import time
from pathlib import Path

from bench import world
from metrics.ingest.transaction import write_group
from wandb_api.file_stream.endpoint import read_post

POSTS = 640


def _cpu_us(begin: float) -> float:
    return (time.process_time() - begin) / POSTS * 1e6


def _decode_only(bodies: list[bytes]) -> float:
    begin = time.process_time()
    for body in bodies:
        world.decode_post(body)
    return _cpu_us(begin)


def _durable(group: int) -> float:
    where = world.project(f"group{group}")
    runs = world.runs(where, group)
    rounds = [[world.body(number, seed=run.pk) for run in runs] for number in range(POSTS // group)]
    begin = time.process_time()
    for bodies in rounds:
        write_group([read_post(body, run.pk, "") for body, run in zip(bodies, runs, strict=True)])
    return _cpu_us(begin)


def run(home: Path) -> None:
    """Print CPU microseconds and ratios."""
    bodies = [world.body(number) for number in range(POSTS)]
    decode = _decode_only(bodies)
    print(f"one body            {len(bodies[0]):7d} B, {world.STEPS} steps x {world.KEYS} keys")
    print(f"decoding only       {decode:7.0f} us CPU a post")
    for group in (1, 16, 64):
        durable = _durable(group)
        print(
            f"durable, {group:2d} a group {durable:7.0f} us CPU a post: {decode / durable:.3f} of decoding only"
        )
