"""Static files as a lean ASGI application: browsers keep those with hashed names forever, others for a minute."""

import re
from collections.abc import Sequence
from os import PathLike, stat_result
from typing import Any

from starlette.responses import Response
from starlette.staticfiles import StaticFiles

_HASHED = re.compile(r"\.[0-9a-f]{12}\.[a-z0-9.]+$|-[A-Z0-9]{8}\.[a-z0-9.]+$")


class HashedStaticFiles(StaticFiles):
    """Serves the files of several folders, the first one first.

    Args:
        folders: They may be created later.
        max_age_s: How long browsers keep a file whose name has no hash.
    """

    def __init__(self, folders: Sequence["PathLike[str]"], *, max_age_s: int) -> None:
        super().__init__(directory=folders[0], check_dir=False)
        self.all_directories = list(folders)
        self._max_age_s = max_age_s

    def file_response(
        self, full_path: "str | PathLike[str]", stat_result: stat_result, scope: Any, status_code: int = 200
    ) -> Response:
        """Add the cache header that the name allows."""
        response = super().file_response(full_path, stat_result, scope, status_code)
        is_hashed = bool(_HASHED.search(str(full_path)))
        response.headers["Cache-Control"] = (
            "public, max-age=31536000, immutable" if is_hashed else f"public, max-age={self._max_age_s}"
        )
        response.headers["X-Content-Type-Options"] = "nosniff"
        return response
