"""How REST answers are written."""

from collections.abc import Mapping
from typing import Any

from rest_framework.renderers import JSONRenderer

from common.formats.strict_json import strict


class StrictJSONRenderer(JSONRenderer):
    """Has the numbers for which JSON has no word as texts, where its parent would fail with a ValueError."""

    def render(
        self,
        data: Any,
        accepted_media_type: str | None = None,
        renderer_context: Mapping[str, Any] | None = None,
    ) -> Any:
        """Return the answer's bytes; only what cannot be written as it is, which is rare, is looked through."""
        try:
            return super().render(data, accepted_media_type, renderer_context)
        except ValueError:
            return super().render(strict(data), accepted_media_type, renderer_context)
