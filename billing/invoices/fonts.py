"""Fonts of invoices: each piece of a text in a font that has its letters.

What Western Europe writes is Helvetica, which every reader of PDF has. A text with other letters (Łódź, Đà Nẵng, Київ)
is DejaVu Sans, of which the letters that are used are embedded. Japanese, Korean and Chinese use the reader's own fonts
by Adobe's character collections, so an invoice stays some kilobytes small.
"""

from functools import cache
from itertools import groupby
from pathlib import Path
from xml.sax.saxutils import escape

from django.conf import settings
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont

LATIN, BOLD = "Helvetica", "Helvetica-Bold"
_EMBEDDED, _EMBEDDED_BOLD = "DejaVuSans", "DejaVuSans-Bold"
_ASIAN = (("HeiseiKakuGo-W5", "shift_jis"), ("HYGothic-Medium", "euc_kr"), ("STSong-Light", "gbk"))
"""Names of fonts, and the character set that tells what is in them."""


@cache
def _register() -> frozenset[str]:
    """Make the fonts known once; returns the letters of the embedded one."""
    for name in (_EMBEDDED, _EMBEDDED_BOLD):
        pdfmetrics.registerFont(
            TTFont(name, str(Path(settings.STATICFILES_DIRS[0]) / "fonts" / f"{name}.ttf"))
        )
    for name, _charset in _ASIAN:
        pdfmetrics.registerFont(UnicodeCIDFont(name))
    return frozenset(map(chr, pdfmetrics.getFont(_EMBEDDED).face.charToGlyph))


def _font_and_letter(letter: str, font: str) -> tuple[str, str]:
    """Return the font of a letter, and the letter, or a question mark where no font has it; ``font`` is preferred."""
    known = _is_in(letter, "cp1252") if font in {LATIN, BOLD} else letter in _register()
    if letter == "\n" or known:
        return font, letter
    return next(((name, letter) for name, charset in _ASIAN if _is_in(letter, charset)), (font, "?"))


def _is_in(letter: str, charset: str) -> bool:
    try:
        letter.encode(charset)
    except UnicodeEncodeError:
        return False
    return True


def is_asian(text: str) -> bool:
    """Say whether lines may be broken between any two letters."""
    return any(ord(letter) >= 0x2E80 for letter in text)


def marked(text: str, *, is_bold: bool = False) -> str:
    """Return a text as a paragraph's markup, each piece in a font that has its letters; lines stay lines."""
    shown = [letter for letter in text if letter == "\n" or letter.isprintable()]
    embedded = any(letter in _register() and not _is_in(letter, "cp1252") for letter in shown)
    fonts = (_EMBEDDED_BOLD, _EMBEDDED) if embedded else (BOLD, LATIN)
    drawn = (_font_and_letter(letter, fonts[0] if is_bold else fonts[1]) for letter in shown)
    pieces = []
    for font, letters in groupby(drawn, lambda pair: pair[0]):
        pieces.append(f'<font name="{font}">{escape("".join(letter for _, letter in letters))}</font>')
    return "".join(pieces).replace("\n", "<br/>")
