"""Static files as a lean ASGI application: hashed names are cached for ever, others for a minute."""

import re
from os import PathLike, stat_result
from typing import Any

from starlette.responses import Response
from starlette.staticfiles import StaticFiles

_HASHED = re.compile(r"\.[0-9a-f]{12}\.[a-z0-9.]+$|-[A-Z0-9]{8}\.[a-z0-9.]+$")


class HashedStaticFiles(StaticFiles):
    """Serves STATIC_ROOT."""

    def file_response(
        self, full_path: "str | PathLike[str]", stat_result: stat_result, scope: Any, status_code: int = 200
    ) -> Response:
        """Add the cache header that the name allows."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        for_ever = bool(_HASHED.search(str(full_path)))
        response.headers["Cache-Control"] = (
            "public, max-age=31536000, immutable" if for_ever else "public, max-age=60"
        )
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response
