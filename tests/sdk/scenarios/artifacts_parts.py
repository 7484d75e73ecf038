# mypy: ignore-errors
"""A file that goes up in parts, as files of 2 GiB do, by a threshold that is lowered in the process that uploads."""

import os
from pathlib import Path

import wandb
from wandb.sdk.artifacts.storage_policies import wandb_storage_policy as policy

policy.S3_MIN_MULTI_UPLOAD_SIZE = 1 << 20
policy.WandbStoragePolicy.calc_chunk_size = lambda *_: 1 << 20

given = os.urandom(3_500_000)
Path("large.bin").write_bytes(given)
with wandb.init(id="giver", settings=wandb.Settings(start_method="thread")) as run:
    made = wandb.Artifact("parted", "dataset")
    made.add_file("large.bin", skip_cache=True)
    run.log_artifact(made).wait()
found = wandb.Api().artifact(f"{os.environ['WANDB_PROJECT']}/parted:latest")
found.download(root="back", skip_cache=True)
assert Path("back/large.bin").read_bytes() == given
