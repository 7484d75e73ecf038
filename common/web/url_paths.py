"""Paths and names that people choose, as parts of URLs.

They may have any character: Django's own converters stop at the end of a line. Browsers, clients and proxies resolve
segments that are dots, even percent-encoded ones, and drop empty ones, so such segments are written with a colon before
them: ``:.``, ``:..`` and ``:``; one that has colons already gets one more.
"""

import re

from django.urls import register_converter
from django.urls.converters import PathConverter

ANY = r"[\s\S]+"
_RESOLVED = re.compile(r":*\.{0,2}")
_WRITTEN = re.compile(r":+\.{0,2}")


def url_path(path: str) -> str:
    """Return what stands for a path in a URL, not yet percent-encoded."""
    return "/".join(f":{part}" if _RESOLVED.fullmatch(part) else part for part in path.split("/"))


def path_of(written: str) -> str:
    """Return the path that a part of a URL, no longer percent-encoded, stands for."""
    return "/".join(part[1:] if _WRITTEN.fullmatch(part) else part for part in written.split("/"))


class ChosenPathConverter(PathConverter):
    """A path that people chose, at the end of an address."""

    regex = ANY

    def to_python(self, value: str) -> str:
        """Read an address."""
        return path_of(value)

    def to_url(self, value: str) -> str:
        """Write an address; ``reverse`` percent-encodes it."""
        return url_path(value)


register_converter(ChosenPathConverter, "chosen_path")


def chosen(argument: str) -> str:
    """Return the end of a route: a path that people chose, which the view gets as ``argument``."""
    return f"<chosen_path:{argument}>"
