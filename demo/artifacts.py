"""Artifacts of the demo: pictures that models learn from, the models, a table of samples, and what was released."""

import hashlib
import json
import struct
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from django.db import transaction

from access.actor import Actor
from access.web.requests import actor_of_user
from accounts.models import User
from artifacts.drafts.commit import commit_version
from artifacts.drafts.manifests import announce_manifest, receive_manifest
from artifacts.drafts.services import Given, begin_version
from artifacts.drafts.uploads import receive_file
from artifacts.lineage.services import use_version
from artifacts.manifests.document import ManifestEntry, digest_of, write_manifest
from artifacts.models import ManifestKind, Version
from artifacts.versions.deletion import delete_version
from artifacts.versions.links import link_version
from demo.media import png, sample_picture
from runs.models import Project, Run
from storage.services import store_bytes

Files = dict[str, bytes]
REDRAWN = "pictures/03.png"


def make_artifacts() -> None:
    """Log a dataset, models and a table, use the dataset in runs, release a model, and delete another."""
    project = Project.objects.filter(team__name="vision", name="diffusion").select_related("team").first()
    if project is None:
        return
    minseo = actor_of_user(User.objects.get(username="minseo"))
    runs = list(Run.objects.filter(project=project, uid__startswith="diffusion").order_by("uid"))
    discs = [_discs(minseo, project, count) for count in (6, 9, 12)]
    for number, run in enumerate(runs):
        use_version(actor=minseo, run=run, version=discs[1 + number // 2], used_as="train")
    models = [_unet(minseo, project, runs[min(number, len(runs) - 1)], number) for number in range(5)]
    _samples(minseo, project, runs[-1])
    link_version(
        actor=minseo, version=models[3], project=project, name="released-unet", aliases=["production"]
    )
    delete_version(actor=minseo, version=models[0], with_aliases=True)


def _log(
    actor: Actor,
    project: Project,
    files: Files,
    *,
    run: Run | None = None,
    metadata: Mapping[str, Any] | None = None,
    **said: Any,
) -> Version:
    """Log a version as SDKs do: a draft, its files, its manifest, the commit."""
    with transaction.atomic():
        blobs = {path: store_bytes(content, project.team_id) for path, content in files.items()}
        entries = [ManifestEntry(path, blob.md5, blob.size_bytes) for path, blob in blobs.items()]
        given = Given(digest=digest_of(entries), metadata=json.dumps(metadata or {}), **said)
        draft = begin_version(actor=actor, project=project, run=run, given=given)
        for path, blob in blobs.items():
            receive_file({"v": draft.pk, "n": path, "h": blob.md5}, blob)
        document = write_manifest(entries)
        digest = hashlib.md5(document, usedforsecurity=False).hexdigest()
        manifest = announce_manifest(
            actor=actor, version=draft, kind=ManifestKind.FULL, name="wandb_manifest.json", digest=digest, base=None
        )  # fmt: skip
        receive_manifest({"m": manifest.pk}, store_bytes(document, project.team_id))
    return commit_version(actor=actor, version=draft)


def _discs(actor: Actor, project: Project, count: int) -> Version:
    """Log so many pictures of discs; in the last version one is drawn anew, and one has another label."""
    is_last = count == 12
    pictures = {f"pictures/{seed:02d}.png": _picture(seed, 0.02) for seed in range(count)}
    if is_last:
        pictures[REDRAWN] = _picture(3, 0.12)
    counts = [3 if is_last and seed == 5 else 4 for seed in range(count)]
    labels = "\n".join(["picture,discs", *(f"{seed:02d}.png,{n}" for seed, n in enumerate(counts))]) + "\n"
    return _log(
        actor, project, {**pictures, "labels.csv": labels.encode()}, type_name="dataset", name="discs",
        description="Soft discs on a gradient, drawn by seed.", metadata={"pictures": count, "size": [96, 96]},
        tags=["curated"] if is_last else [],
    )  # fmt: skip


def _unet(actor: Actor, project: Project, run: Run, number: int) -> Version:
    fid = [14.2, 11.8, 10.1, 8.9, 9.3][number]
    aliases = ["best"] if number == 3 else []
    config = f"model: unet\nsteps: {400 + 50 * number}\n"
    files = {"model.safetensors": _weights(number), "config.yaml": config.encode()}
    return _log(
        actor, project, files, run=run, type_name="model", name="unet", aliases=aliases,
        metadata={"fid": fid, "parameters": 4_608}, tags=["reviewed"] if number >= 3 else [],
    )  # fmt: skip


def _weights(seed: int) -> bytes:
    """Return a small safetensors file: eight bytes of length, a header of JSON, the numbers."""
    numbers = np.random.default_rng(seed).normal(size=(2, 48, 48)).astype("<f4")
    size = numbers[0].nbytes
    header = json.dumps(
        {
            name: {"dtype": "F32", "shape": [48, 48], "data_offsets": [size * at, size * (at + 1)]}
            for at, name in enumerate(("encoder.weight", "decoder.weight"))
        }
    ).encode()
    return struct.pack("<Q", len(header)) + header + numbers.tobytes()


def _samples(actor: Actor, project: Project, run: Run) -> Version:
    """Log what `run.log({"samples": wandb.Table(…)})` makes of a table with pictures."""
    pictures = {f"media/images/sample_{seed}.png": _picture(seed, 0.05) for seed in range(6)}
    rows = [
        [f"a disc, number {seed}", _cell(path, content), round(0.6 + 0.05 * seed, 2)]
        for seed, (path, content) in enumerate(pictures.items())
    ]
    types = {"prompt": "string", "picture": "image-file", "score": "number"}
    table = _table(types, rows)
    return _log(
        actor, project, {**pictures, "samples.table.json": table}, run=run, type_name="run_table",
        name=f"run-{run.uid}-samples",
    )  # fmt: skip


def _table(types: Mapping[str, str], rows: Sequence[Sequence[Any]]) -> bytes:
    known = {"params": {"type_map": {name: {"wb_type": kind} for name, kind in types.items()}}}
    document = {
        "_type": "table", "columns": list(types), "data": rows, "ncols": len(types), "nrows": len(rows),
        "column_types": {**known, "wb_type": "typedDict"},
    }  # fmt: skip
    return json.dumps(document, sort_keys=True).encode()  # as the SDK writes it: types before rows


def _cell(path: str, content: bytes) -> dict[str, Any]:
    return {
        "_type": "image-file", "path": path, "sha256": hashlib.sha256(content).hexdigest(), "size": len(content),
        "format": "png", "width": 96, "height": 96,
    }  # fmt: skip


def _picture(seed: int, noise: float) -> bytes:
    return png(sample_picture(np.random.default_rng(seed), noise))
