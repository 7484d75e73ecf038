"""Where something is wrong in a configuration, and what."""

from common.errors import Invalid

Path = tuple[str | int, ...]
"""Keys and positions from the top: ``("parameters", "lr", "values", 3)``."""


def path_text(path: Path) -> str:
    """Return a path as people write it: ``parameters.lr.values[3]``."""
    text = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in path)
    return text.removeprefix(".")


def at(path: Path, message: str) -> str:
    """Return a message that begins with its path."""
    return f"{path_text(path)}: {message}" if path else message


def problem(path: Path, message: str) -> Invalid:
    """Return the error to raise for what is at a path."""
    return Invalid(at(path, message))
