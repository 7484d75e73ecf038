"""Fonts of invoices: each piece of a text in the first font that has all its letters.

Latin is Helvetica, which every reader of PDF has; letters beyond it (ł, ş, ž) are embedded. Japanese, Korean and
Chinese use the reader's own fonts by Adobe's character collections, so an invoice stays some kilobytes small.
"""

import unicodedata
from functools import cache
from itertools import groupby
from xml.sax.saxutils import escape

from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfbase.ttfonts import TTFont

LATIN, BOLD = "Helvetica", "Helvetica-Bold"
_EMBEDDED, _EMBEDDED_BOLD = "Vera", "VeraBd"
_ASIAN = (("HeiseiKakuGo-W5", "shift_jis"), ("HYGothic-Medium", "euc_kr"), ("STSong-Light", "gbk"))
"""Names of fonts, and the character set that tells what is in them."""


@cache
def _register() -> frozenset[str]:
    """Make the fonts known once; returns the letters of the embedded one."""
    for name in (_EMBEDDED, _EMBEDDED_BOLD):
        pdfmetrics.registerFont(TTFont(name, f"{name}.ttf"))
    for name, _charset in _ASIAN:
        pdfmetrics.registerFont(UnicodeCIDFont(name))
    return frozenset(map(chr, pdfmetrics.getFont(_EMBEDDED).face.charToGlyph))


@cache
def _drawn(letter: str, *, is_bold: bool) -> tuple[str, str]:
    """Return the font of a letter, and the letter; without its accent where no font has it."""
    if letter == "\n" or _is_in(letter, "cp1252"):
        return (BOLD if is_bold else LATIN), letter
    if letter in _register():
        return (_EMBEDDED_BOLD if is_bold else _EMBEDDED), letter
    base = unicodedata.normalize("NFKD", letter)[0]
    if base != letter and base.isascii():
        return _drawn(base, is_bold=is_bold)
    return next(((name, letter) for name, charset in _ASIAN if _is_in(letter, charset)), (LATIN, "?"))


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
    _register()
    shown = (letter for letter in text if letter == "\n" or letter.isprintable())
    drawn = (_drawn(letter, is_bold=is_bold) for letter in shown)
    pieces = []
    for font, letters in groupby(drawn, lambda pair: pair[0]):
        pieces.append(f'<font name="{font}">{escape("".join(letter for _, letter in letters))}</font>')
    return "".join(pieces).replace("\n", "<br/>")
