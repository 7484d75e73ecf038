"""Media as the SDK uploads it: a PNG, a table, an HTML page, and the values of history that name them."""

import hashlib
import json
import struct
import zlib
from typing import Any

import numpy as np
import numpy.typing as npt

Pixels = npt.NDArray[np.uint8]


def png(pixels: Pixels) -> bytes:
    """Return an RGB picture of shape (height, width, 3) as a PNG file."""
    height, width, _ = pixels.shape
    rows = np.concatenate([np.zeros((height, 1), np.uint8), pixels.reshape(height, width * 3)], axis=1)

    def chunk(kind: bytes, content: bytes) -> bytes:
        body = kind + content
        return struct.pack(">I", len(content)) + body + struct.pack(">I", zlib.crc32(body))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    packed = zlib.compress(rows.tobytes(), 6)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", packed) + chunk(b"IEND", b"")


def sample_picture(source: np.random.Generator, noise: float, size: int = 96) -> Pixels:
    """Draw what a diffusion model might: soft discs on a gradient, under noise that goes as it learns."""
    y, x = np.mgrid[0:size, 0:size] / size
    canvas = np.stack([0.25 + 0.5 * y, 0.35 + 0.3 * x, 0.6 - 0.3 * y], axis=-1)
    for _ in range(4):
        at, radius, color = (
            source.uniform(0.15, 0.85, 2),
            source.uniform(0.08, 0.25),
            source.uniform(0.1, 1.0, 3),
        )
        inside = 1 / (1 + np.exp((np.hypot(x - at[0], y - at[1]) - radius) * 60))
        canvas = canvas * (1 - inside[..., None]) + color * inside[..., None]
    canvas += source.normal(scale=noise, size=canvas.shape)
    pixels: Pixels = (np.clip(canvas, 0, 1) * 255).astype(np.uint8)
    return pixels


class Uploads:
    """Files gathered for one run; each method returns what history says of what it added."""

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}

    def _add(self, path: str, content: bytes) -> dict[str, Any]:
        self.files[path] = content
        return {"path": path, "sha256": hashlib.sha256(content).hexdigest(), "size": len(content)}

    def images(self, key: str, step: int, pictures: list[Pixels], captions: list[str]) -> dict[str, Any]:
        """Add several pictures logged under one key."""
        height, width, _ = pictures[0].shape
        names = []
        for number, picture in enumerate(pictures):
            path = f"media/images/{key}_{step}_{number}.png"
            self._add(path, png(picture))
            names.append(path)
        return {
            "_type": "images/separated", "width": width, "height": height, "format": "png", "count": len(pictures),
            "filenames": names, "captions": captions,
        }  # fmt: skip

    def table(self, key: str, step: int, columns: list[str], data: list[list[Any]]) -> dict[str, Any]:
        """Add a table."""
        content = json.dumps({"columns": columns, "data": data}).encode()
        told = self._add(f"media/table/{key}_{step}.table.json", content)
        return {"_type": "table-file", "ncols": len(columns), "nrows": len(data), **told}

    def html(self, key: str, step: int, text: str) -> dict[str, Any]:
        """Add an HTML page."""
        return {"_type": "html-file", **self._add(f"media/html/{key}_{step}.html", text.encode())}


def histogram(values: npt.NDArray[np.floating[Any]], bins: int = 48) -> dict[str, Any]:
    """Return a histogram as it lies in history."""
    counts, edges = np.histogram(values, bins=bins)
    return {"_type": "histogram", "values": counts.tolist(), "bins": edges.tolist()}
