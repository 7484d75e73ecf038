"""The code that image classifiers of the demo were made with, as an SDK that may save code uploads it."""

import json
from typing import Any

import numpy as np

from demo.media import png

SAVED = frozenset({2, 3, 4, 15, *range(172, 180)})
"""Runs of the sweep that save theirs, by number."""

_TRAIN = '''\
"""Train a classifier on CIFAR-100."""

from __future__ import annotations

import argparse

import torch
import wandb
from torch import nn
from torch.nn import functional as F

from data import loaders
from models.resnet import resnet
from optimizers import optimizer_of


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sweep", action="store_true", help="take the settings from the sweep")
    parser.add_argument("--epochs", type=int, default=90)
    parser.add_argument("--clip", type=float, default=1.0, help="largest norm of gradients")
    return parser.parse_args()


@torch.no_grad()
def evaluate(model: nn.Module, loader: torch.utils.data.DataLoader) -> tuple[float, float]:
    """Return mean loss and accuracy over a loader."""
    model.eval()
    loss, right, seen = 0.0, 0, 0
    for images, labels in loader:
        images, labels = images.cuda(), labels.cuda()
        logits = model(images)
        loss += F.cross_entropy(logits, labels, reduction="sum").item()
        right += (logits.argmax(dim=1) == labels).sum().item()
        seen += len(labels)
    return loss / seen, right / seen


def train_epoch(model, loader, optimizer, clip: float) -> tuple[float, float]:
    model.train()
    total, right, seen = 0.0, 0, 0
    for images, labels in loader:
        images, labels = images.cuda(non_blocking=True), labels.cuda(non_blocking=True)
        logits = model(images)
        loss = F.cross_entropy(logits, labels, label_smoothing=0.1)
        optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(model.parameters(), clip)
        optimizer.step()
        total += loss.item() * len(labels)
        right += (logits.argmax(dim=1) == labels).sum().item()
        seen += len(labels)
    return total / seen, right / seen


def main() -> None:
    args = parse()
    with wandb.init(project="cifar-sweep", job_type="train") as run:
        config = run.config
        torch.manual_seed(config.seed)
        train, val = loaders(config.batch_size, augment=config.augment)
        model = resnet(config.model.depth, classes=100).cuda()
        optimizer = optimizer_of(model.parameters(), config.optimizer)
        schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimizer, args.epochs)
        for epoch in range(args.epochs):
            loss, accuracy = train_epoch(model, train, optimizer, args.clip)
            val_loss, val_accuracy = evaluate(model, val)
            schedule.step()
            run.log({
                "epoch": epoch,
                "train/loss": loss, "train/accuracy": accuracy,
                "val/loss": val_loss, "val/accuracy": val_accuracy,
                "lr": schedule.get_last_lr()[0],
            })


if __name__ == "__main__":
    main()
'''
_RESNET = '''\
"""ResNets for small pictures."""

from torch import nn
from torchvision.models.resnet import BasicBlock, Bottleneck, ResNet

LAYERS = {18: [2, 2, 2, 2], 34: [3, 4, 6, 3], 50: [3, 4, 6, 3], 101: [3, 4, 23, 3]}


def resnet(depth: int, *, classes: int) -> ResNet:
    """Return a ResNet whose stem keeps 32x32 pixels."""
    block = Bottleneck if depth >= 50 else BasicBlock
    model = ResNet(block, LAYERS[depth], num_classes=classes)
    model.conv1 = nn.Conv2d(3, 64, kernel_size=3, padding=1, bias=False)
    model.maxpool = nn.Identity()
    return model
'''
_OPTIMIZERS = '''\
import torch


def optimizer_of(parameters, config):
    """Return the optimizer that the configuration names."""
    settings = {"lr": config.lr, "weight_decay": config.weight_decay}
    if config.name == "adamw":
        return torch.optim.AdamW(parameters, **settings)
    if config.name == "lion":
        from lion_pytorch import Lion

        return Lion(parameters, **settings)
    return torch.optim.SGD(parameters, momentum=0.9, nesterov=True, **settings)
'''
_PATCH = """\
diff --git a/train.py b/train.py
index 5d1c0b2..a94f3e1 100644
--- a/train.py
+++ b/train.py
@@ -17,6 +17,7 @@ def parse() -> argparse.Namespace:
     parser = argparse.ArgumentParser(description=__doc__)
     parser.add_argument("--sweep", action="store_true", help="take the settings from the sweep")
     parser.add_argument("--epochs", type=int, default=90)
+    parser.add_argument("--clip", type=float, default=1.0, help="largest norm of gradients")
     return parser.parse_args()


@@ -35,15 +36,16 @@ def evaluate(model: nn.Module, loader: torch.utils.data.DataLoader) -> tuple[float, float]:
     return loss / seen, right / seen


-def train_epoch(model, loader, optimizer) -> tuple[float, float]:
+def train_epoch(model, loader, optimizer, clip: float) -> tuple[float, float]:
     model.train()
     total, right, seen = 0.0, 0, 0
     for images, labels in loader:
-        images, labels = images.cuda(), labels.cuda()
+        images, labels = images.cuda(non_blocking=True), labels.cuda(non_blocking=True)
         logits = model(images)
-        loss = F.cross_entropy(logits, labels)
+        loss = F.cross_entropy(logits, labels, label_smoothing=0.1)
         optimizer.zero_grad(set_to_none=True)
         loss.backward()
+        nn.utils.clip_grad_norm_(model.parameters(), clip)
         optimizer.step()
         total += loss.item() * len(labels)
         right += (logits.argmax(dim=1) == labels).sum().item()
diff --git a/models/resnet.py b/models/resnet.py
index 0c7f2aa..3be91d4 100644
--- a/models/resnet.py
+++ b/models/resnet.py
@@ -11,5 +11,5 @@ def resnet(depth: int, *, classes: int) -> ResNet:
     block = Bottleneck if depth >= 50 else BasicBlock
     model = ResNet(block, LAYERS[depth], num_classes=classes)
-    model.conv1 = nn.Conv2d(3, 64, kernel_size=7, stride=2, padding=3, bias=False)
+    model.conv1 = nn.Conv2d(3, 64, kernel_size=3, padding=1, bias=False)
     model.maxpool = nn.Identity()
     return model
diff --git a/optimizers.py b/optimizers.py
new file mode 100644
index 0000000..e2d6f10
--- /dev/null
+++ b/optimizers.py
@@ -0,0 +1,13 @@
"""
_PACKAGES = {
    "certifi": "2026.1.4", "charset-normalizer": "3.4.4", "click": "8.3.1", "filelock": "3.20.3", "fsspec": "2026.1.0",
    "gitdb": "4.0.12", "GitPython": "3.1.46", "idna": "3.11", "Jinja2": "3.1.6", "lion-pytorch": "0.2.3",
    "MarkupSafe": "3.0.3", "mpmath": "1.3.0", "networkx": "3.6.1", "numpy": "2.4.1", "nvidia-cublas": "13.1.0.3",
    "nvidia-cudnn-cu13": "9.15.1.9", "nvidia-nccl-cu13": "2.28.9", "packaging": "25.0", "pillow": "12.1.0",
    "platformdirs": "4.5.1", "protobuf": "6.33.4", "psutil": "7.2.1", "pydantic": "2.12.5", "PyYAML": "6.0.3",
    "requests": "2.32.5", "sentry-sdk": "2.49.0", "smmap": "5.0.2", "sympy": "1.14.0", "torch": "2.10.0",
    "torchvision": "0.25.0", "tqdm": "4.67.1", "triton": "3.6.0", "typing_extensions": "4.15.0", "urllib3": "2.6.3",
    "wandb": "0.31.0",
}  # fmt: skip
_BEFORE = {"torch": "2.9.1", "torchvision": "0.24.1", "triton": "3.5.1", "numpy": "2.3.5", "timm": "1.0.24"}
"""What runs of odd numbers had instead; the last of these is new to them."""
_NOT_BEFORE = ("lion-pytorch", "nvidia-nccl-cu13")


def files_of(number: int, config: dict[str, Any], source: np.random.Generator) -> dict[str, bytes]:
    """Return what the run of this number uploads, by path; nothing where it saves no code."""
    if number not in SAVED:
        return {}
    is_older = number % 2 == 1
    added = "".join(f"+{line}\n" for line in _OPTIMIZERS.splitlines())
    texts = {
        "code/train.py": _older(_TRAIN) if is_older else _TRAIN, "code/models/resnet.py": _RESNET,
        "code/optimizers.py": _OPTIMIZERS,
        "diff.patch": _PATCH + added, "requirements.txt": _requirements(is_older=is_older),
        "config.yaml": "".join(f"{key}:\n  value: {json.dumps(value)}\n" for key, value in config.items()),
    }  # fmt: skip
    files = {name: text.encode() for name, text in texts.items()}
    return files | {"plots/confusion.png": png(_confusion(source))}


def _older(text: str) -> str:
    """Return the training code as runs of odd numbers had it."""
    clips = "        nn.utils.clip_grad_norm_(model.parameters(), clip)\n"
    return text.replace(", label_smoothing=0.1", "").replace("default=90", "default=60").replace(clips, "")


def _requirements(*, is_older: bool) -> str:
    packages = dict(_PACKAGES)
    if is_older:
        packages = {name: version for name, version in packages.items() if name not in _NOT_BEFORE} | _BEFORE
    return "".join(f"{name}=={version}\n" for name, version in sorted(packages.items(), key=_lower))


def _lower(package: tuple[str, str]) -> str:
    return package[0].lower()


def _confusion(source: np.random.Generator, classes: int = 20) -> np.ndarray[Any, np.dtype[np.uint8]]:
    """Draw how often each class was taken for each other."""
    share = source.uniform(0, 0.25, (classes, classes)) ** 2 + np.eye(classes) * source.uniform(
        0.7, 1, classes
    )
    large = np.kron(np.clip(share, 0, 1), np.ones((16, 16)))
    ink, paper = np.array([65, 73, 194]), np.array([244, 245, 247])
    return np.asarray(paper + (ink - paper) * large[..., None], np.uint8)
