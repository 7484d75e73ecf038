# mypy: ignore-errors
"""A file that comes down in parts, as files of 2 GiB do, by a part size that is lowered."""

import os
from pathlib import Path

import wandb
from wandb.sdk.artifacts.storage_policies import wandb_storage_policy as policy

PART = 1 << 20
if hasattr(policy, "multipart_download"):
    policy.multipart_download.__defaults__ = (PART,)
else:  # 0.19
    policy._DOWNLOAD_PART_SIZE_BYTES = PART

given = os.urandom(3_500_000)
with wandb.init(id="sender") as run:
    made = wandb.Artifact("large", "dataset")
    with made.new_file("large.bin", mode="wb") as file:
        file.write(given)
    run.log_artifact(made).wait()
found = wandb.Api().artifact(f"{os.environ['WANDB_PROJECT']}/large:latest")
found.download(root="ranged", multipart=True, skip_cache=True)
assert Path("ranged/large.bin").read_bytes() == given
