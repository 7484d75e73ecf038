"""Pictures that people upload: checked by their content, cropped, made anew of their pixels alone (ACC-1)."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from io import BytesIO
from typing import TYPE_CHECKING

from django.core.files.uploadedfile import UploadedFile
from django.utils.translation import gettext as _

from common.budgets.children import apart
from common.errors import Invalid, TooLarge
from common.server.lazy_import import LazyModule

if TYPE_CHECKING:
    from PIL import Image, ImageOps
else:
    Image, ImageOps = LazyModule("PIL.Image"), LazyModule("PIL.ImageOps")

SIDE_PX = 256
MAX_BYTES = 5 * 1024 * 1024
MAX_PIXELS = 50_000_000
"""Pixels take memory, whatever a file's size: 50 million are 200 MB for a moment, and more than cameras take."""
_FORMATS = ("PNG", "JPEG", "WEBP")
_BROKEN = (OSError, SyntaxError, ValueError, EOFError)
"""What Pillow raises on files that end early or contradict themselves."""


@dataclass(frozen=True, slots=True)
class Crop:
    """The square that a person chose, in pixels of the picture as it is shown (turned as its EXIF says)."""

    left: float
    top: float
    side: float


def digest_of(content: bytes) -> str:
    """Return the digest by which a picture's address changes with it."""
    return hashlib.sha256(content).hexdigest()


def to_picture(upload: UploadedFile[bytes], crop: Crop | None = None) -> bytes:
    """Return WebP of 256 pixels square without metadata; without a crop the middle is taken.

    Raises:
        TooLarge: more bytes than are read.
        Invalid: no still PNG, JPEG or WebP, or one that is broken, tiny or huge.
    """
    if (upload.size or 0) > MAX_BYTES:
        raise TooLarge(_("Pictures can be up to 5 MB; this file is larger."))
    return apart(_drawn, upload.read(), crop)


def _drawn(content: bytes, crop: Crop | None) -> bytes:
    image = _opened(BytesIO(content))
    try:
        image = ImageOps.exif_transpose(image)
        has_alpha = "A" in image.getbands() or "transparency" in image.info
        square = image.crop(_box(image, crop)).convert("RGBA" if has_alpha else "RGB")
    except _BROKEN:
        raise Invalid(_("This picture file is damaged or incomplete.")) from None
    small = square.resize((SIDE_PX, SIDE_PX), Image.Resampling.LANCZOS)
    small.info = {}
    out = BytesIO()
    small.save(out, "WEBP", quality=88, method=4)
    return out.getvalue()


def _opened(content: BytesIO) -> Image.Image:
    """Read the head of the file; its name and the type that the browser says do not matter."""
    try:
        image: Image.Image = Image.open(content, formats=_FORMATS)
    except (Image.DecompressionBombError, Image.DecompressionBombWarning):
        raise _too_many_pixels() from None
    except _BROKEN:
        raise Invalid(_("Choose a PNG, JPEG or WebP image.")) from None
    if image.width * image.height > MAX_PIXELS:
        raise _too_many_pixels()
    if image.format != "MPO" and getattr(image, "is_animated", False):  # MPO: a camera's JPEG with a preview
        raise Invalid(_("Animated pictures are not supported; choose a still one."))
    return image


def _too_many_pixels() -> Invalid:
    most = MAX_PIXELS // 1_000_000
    return Invalid(_("Pictures can have up to %(most)s million pixels; scale it down.") % {"most": most})


def _box(image: Image.Image, crop: Crop | None) -> tuple[int, int, int, int]:
    """Return the square to keep, inside the picture whatever was asked for."""
    shorter = min(image.width, image.height)
    side = shorter if crop is None else round(min(max(crop.side, 1), shorter))
    left = (image.width - side) / 2 if crop is None else crop.left
    top = (image.height - side) / 2 if crop is None else crop.top
    x = round(min(max(left, 0), image.width - side))
    y = round(min(max(top, 0), image.height - side))
    return (x, y, x + side, y + side)
