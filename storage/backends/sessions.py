"""Connections of the providers' libraries that stand on requests: those of Azure and Google."""

from typing import Any

from requests import Session
from requests.adapters import HTTPAdapter

from common.safe_http.pools import keep_outside

_POOL = 32


class _OutsideAdapter(HTTPAdapter):
    def init_poolmanager(self, *args: Any, **named: Any) -> None:
        super().init_poolmanager(*args, **named)
        keep_outside(self.poolmanager)


def prepare(session: Session, *, is_kept_outside: bool) -> None:
    """Let many threads use a session at once, and lead it to the public network only where that is wanted."""
    adapter = (_OutsideAdapter if is_kept_outside else HTTPAdapter)(pool_maxsize=_POOL)
    session.trust_env = not is_kept_outside  # a proxy would look names up by itself
    for scheme in ("https://", "http://"):
        session.mount(scheme, adapter)
