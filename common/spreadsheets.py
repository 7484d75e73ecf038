"""Text that spreadsheets open."""

_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def harmless(text: str) -> str:
    """Keep what a spreadsheet would run as a formula as text, by an apostrophe before it."""
    return f"'{text}" if text.startswith(_FORMULA) else text
