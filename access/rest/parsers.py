"""How the REST API reads bodies: within a size, and only what fits into memory decoded.

Apart from ``access.rest.viewsets``, since DRF imports it with its own views.
"""

from collections.abc import Mapping
from io import BytesIO
from typing import IO, Any

from django.conf import settings
from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

from common.budgets.memory import reserve_decoded
from common.errors import TooLarge
from common.formats.lenient_json import read_lenient


class BoundedJSONParser(JSONParser):
    """Strict JSON of at most RUNYARD_REST_MAX_MIB; RUNYARD_BODY_MAX_MIB for actions in ``large_bodies`` of the view."""

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        """Return the body's value.

        Raises:
            TooLarge: more bytes, or decoded more memory, than a request may have.
            ParseError: no JSON, or nested too deep.
        """
        view = (parser_context or {}).get("view")
        is_large = getattr(view, "action", "") in getattr(view, "large_bodies", ())
        most = int(settings.BODY_MAX_BYTES if is_large else settings.REST_MAX_BYTES)
        text = stream.read(most + 1)
        if len(text) > most:
            setting = "RUNYARD_BODY_MAX_MIB" if is_large else "RUNYARD_REST_MAX_MIB"
            raise TooLarge(
                f"A request may have at most {most} bytes here (setting {setting}).", setting=setting
            )
        reserve_decoded(text)
        return self.decoded(text)

    def decoded(self, text: bytes) -> Any:
        """Return the value.

        Raises:
            ParseError: no JSON, or nested too deep.
        """
        try:
            return super().parse(BytesIO(text))
        except RecursionError:
            raise ParseError("The JSON is nested too deep.") from None


class LenientJSONParser(BoundedJSONParser):
    """JSON with NaN and Infinity, which configurations have."""

    def decoded(self, text: bytes) -> Any:
        """Return the value.

        Raises:
            ParseError: no JSON, or nested too deep.
        """
        try:
            return read_lenient(text)
        except ValueError as error:
            raise ParseError(f"The body is not JSON: {error}.") from None
