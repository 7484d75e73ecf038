"""Ids of runs: which a client may choose, and how they stand in addresses.

An id may be whatever the SDK takes, in any language, so nothing may be named by it but the run itself: no file, no
folder of an archive. In an address it is one segment of a path, percent-encoded by whoever writes the address.
"""

import unicodedata

from django.urls import register_converter
from django.urls.converters import StringConverter
from django.utils.translation import gettext as _

from common.errors import Invalid

MAX_LENGTH = 128
FORBIDDEN = ":;,#?/'"
"""Source: wandb 0.31.0, ``wandb/sdk/wandb_settings.py``, ``validate_run_id``."""

_UNSENDABLE = frozenset({"Cc", "Cs"})
"""Categories of control characters, of which forms send other ones, and of halves of characters, which no text has."""
_COLLAPSED = frozenset({".", ".."})
"""Segments that browsers and proxies resolve, also where they are percent-encoded."""


def check_run_id(uid: str) -> str:
    """Return the id if a run may have it.

    Raises:
        Invalid: empty, too long, or with what no id has.
    """
    if not 1 <= len(uid) <= MAX_LENGTH:
        raise Invalid(
            _("A run ID must have 1 to %(most)s characters; “%(id)s” has %(count)s.")
            % {"most": MAX_LENGTH, "id": uid[:MAX_LENGTH], "count": len(uid)}
        )
    is_sendable = all(unicodedata.category(char) not in _UNSENDABLE for char in uid)
    if not is_sendable or uid != uid.strip() or not set(FORBIDDEN).isdisjoint(uid):
        raise Invalid(
            _(
                "Invalid run ID “%(id)s”: it must not contain %(forbidden)s or control characters, or "
                "begin or end with a space."
            )
            % {"id": uid, "forbidden": " ".join(FORBIDDEN)}
        )
    return uid


def segment_of(uid: str) -> str:
    """Return what stands for an id in a path, not yet percent-encoded: ``:..`` for ``..``, for no id has a colon."""
    return f":{uid}" if uid in _COLLAPSED else uid


def uid_of(segment: str) -> str:
    """Return the id that a segment of a path, no longer percent-encoded, stands for."""
    return segment.removeprefix(":")


class RunIdConverter(StringConverter):
    """The id of a run as a segment of a path."""

    def to_python(self, value: str) -> str:
        """Read an address."""
        return uid_of(value)

    def to_url(self, value: str) -> str:
        """Write an address; ``reverse`` percent-encodes it."""
        return segment_of(value)


register_converter(RunIdConverter, "run_id")

RUN_ROUTE = "<str:entity>/<str:project>/runs/<run_id:uid>"
"""Where the pages of a run begin."""
