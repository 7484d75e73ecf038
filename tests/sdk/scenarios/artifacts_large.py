# mypy: ignore-errors
"""A file of 5 GiB goes up and comes back, as the SDK does it by itself: both in parts."""

import hashlib
import os
from pathlib import Path

import wandb

MIB = 1 << 20


def digest_of(path):
    """Read a file in pieces."""
    with Path(path).open("rb") as file:
        return hashlib.file_digest(file, "md5").hexdigest()


with Path("large.bin").open("wb") as file:
    piece = os.urandom(MIB - 8)
    # No two MiB are equal, so parts in a wrong order are noticed.
    file.writelines(piece + number.to_bytes(8, "big") for number in range(5 * 1024))
given = digest_of("large.bin")
with wandb.init(id="giver") as run:
    made = wandb.Artifact("five-gib", "dataset")
    made.add_file("large.bin", policy="immutable", skip_cache=True)  # or it is on the disk twice more
    run.log_artifact(made).wait()
Path("large.bin").unlink()

found = wandb.Api().artifact(f"{os.environ['WANDB_PROJECT']}/five-gib:latest")
assert found.size == 5 * 1024 * MIB
found.download(root="back", skip_cache=True)
assert digest_of("back/large.bin") == given
