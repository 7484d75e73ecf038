"""ACC-1: a picture is taken by its content, cropped, made anew of its pixels alone, or refused with its reason."""

import struct
import zlib
from collections.abc import Callable
from io import BytesIO
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from PIL import Image

from accounts.profile.pictures import MAX_BYTES, SIDE_PX, Crop, to_picture
from common.errors import DomainError, Invalid, TooLarge

RED, BLUE = (220, 30, 30), (30, 30, 220)


def encoded(image: Image.Image, kind: str = "PNG", **options: Any) -> bytes:
    out = BytesIO()
    image.save(out, kind, **options)
    return out.getvalue()


def upload(content: bytes, name: str = "picture.png") -> SimpleUploadedFile:
    return SimpleUploadedFile(name, content)


def halves(width: int = 400, height: int = 200) -> Image.Image:
    """Red at the left, blue at the right."""
    image = Image.new("RGB", (width, height), RED)
    image.paste(BLUE, (width // 2, 0, width, height))
    return image


def is_near(pixel: Any, color: tuple[int, int, int]) -> bool:
    return all(abs(got - want) < 40 for got, want in zip(pixel[:3], color, strict=True))


def opened(content: bytes) -> Image.Image:
    image = Image.open(BytesIO(content))
    assert (image.format, image.size) == ("WEBP", (SIDE_PX, SIDE_PX))
    return image


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP"])
def test_each_type_becomes_webp_of_one_size_whatever_its_name(kind: str):
    opened(to_picture(upload(encoded(halves(), kind), name="report.pdf")))


def test_without_a_crop_the_middle_is_taken():
    image = opened(to_picture(upload(encoded(halves()))))
    assert is_near(image.getpixel((10, 128)), RED)
    assert is_near(image.getpixel((246, 128)), BLUE)


def test_the_chosen_square_is_taken_and_stays_inside():
    image = opened(to_picture(upload(encoded(halves())), Crop(left=300, top=-50, side=150)))
    assert is_near(image.getpixel((5, 128)), BLUE)


def test_transparency_stays():
    clear = Image.new("RGBA", (50, 50), (0, 0, 0, 0))
    assert opened(to_picture(upload(encoded(clear)))).convert("RGBA").getpixel((9, 9)) == (0, 0, 0, 0)


def test_the_turn_that_a_camera_noted_is_done_and_its_notes_are_gone():
    exif = Image.Exif()
    exif[0x0112] = 3  # upside down
    exif[0x010F] = "Secret Camera"
    content = to_picture(upload(encoded(halves(200, 200), "JPEG", exif=exif, comment=b"who took it")))
    image = opened(content)
    assert is_near(image.getpixel((10, 128)), BLUE)
    assert not image.getexif()
    assert b"Secret" not in content
    assert b"who took it" not in content


def _bomb() -> bytes:
    """A PNG of a few bytes that says it is 60,000 pixels square."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    head = struct.pack(">IIBBBBB", 60_000, 60_000, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", b"") + chunk(b"IEND", b"")


def _animated(kind: str) -> bytes:
    frames = [Image.new("RGB", (20, 20), color) for color in (RED, BLUE)]
    return encoded(frames[0], kind, save_all=True, append_images=frames[1:], duration=50)


@pytest.mark.parametrize(
    ("make", "says"),
    [
        (lambda: b"", "PNG, JPEG or WebP image"),
        (lambda: b"<svg xmlns='http://www.w3.org/2000/svg'/>", "PNG, JPEG or WebP image"),
        (lambda: encoded(halves(), "GIF"), "PNG, JPEG or WebP image"),
        (lambda: encoded(halves(), "BMP"), "PNG, JPEG or WebP image"),
        (lambda: encoded(halves(900, 900).effect_spread(90))[:-4000], "damaged"),
        (lambda: encoded(halves(7100, 7100)), "50 million pixels"),
        (_bomb, "50 million pixels"),
        (lambda: _animated("PNG"), "Animated"),
        (lambda: _animated("WEBP"), "Animated"),
    ],
    ids="empty svg gif bmp cut-off many-pixels bomb animated-png animated-webp".split(),
)
def test_what_cannot_be_taken_is_refused_with_its_reason(make: Callable[[], bytes], says: str):
    with pytest.raises(Invalid, match=says):
        to_picture(upload(make()))


def test_a_file_of_more_than_5_mb_is_refused_unread():
    with pytest.raises(TooLarge, match="5 MB"):
        to_picture(upload(b"x" * (MAX_BYTES + 1)))


def test_every_refusal_is_a_domain_error_even_for_noise():
    for seed in range(50):
        noise = encoded(halves(60, 60))[:30] + bytes((seed * index) % 251 for index in range(300))
        with pytest.raises(DomainError):
            to_picture(upload(noise))
