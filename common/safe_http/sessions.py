"""Sessions of requests for libraries that use it: those of Azure and Google, and allauth's for identity providers."""

from collections.abc import Callable
from typing import Any

from requests import PreparedRequest, Response, Session
from requests.adapters import HTTPAdapter
from requests.exceptions import ConnectionError as RequestFailed
from urllib3 import PoolManager
from urllib3.exceptions import HTTPError

from common.budgets.budget import current
from common.budgets.gate import Gate
from common.errors import TooManyRequests, Unavailable
from common.safe_http.addresses import OutgoingError
from common.safe_http.deadlines import Deadline
from common.safe_http.pools import keep_deadlines, keep_outside

_POOL = 32
WHOLE_S = 10
"""In which a bounded session has its answer, whole ..."""
MAX_ANSWER_BYTES = 1024 * 1024
"""... which has no more than this."""
_identity_providers = Gate(at_once=16, each=8)


class _Adapter(HTTPAdapter):
    def __init__(self, lead: Callable[[PoolManager], None]) -> None:
        self._lead = lead
        super().__init__(pool_maxsize=_POOL)

    def init_poolmanager(self, *args: Any, **named: Any) -> None:
        super().init_poolmanager(*args, **named)
        self._lead(self.poolmanager)


def prepare(session: Session, *, is_kept_outside: bool) -> None:
    """Let many threads use a session at once, and lead it to the public network only where that is wanted."""
    adapter = _Adapter(keep_outside if is_kept_outside else keep_deadlines)
    session.trust_env = not is_kept_outside  # a proxy would look names up by itself
    for scheme in ("https://", "http://"):
        session.mount(scheme, adapter)


class BoundedSession(Session):
    """Asks hosts that must not decide how long our threads wait: few at once, in time, and for answers of some size."""

    def __init__(self) -> None:
        """Lead connections by the deadlines."""
        super().__init__()
        prepare(self, is_kept_outside=False)

    def send(self, request: PreparedRequest, **options: Any) -> Response:
        """Send a request and read its answer.

        Raises:
            RequestException: it took too long, is too large, or too many others wait.
        """
        try:
            with (
                _identity_providers.passing(current().caller),
                Deadline(WHOLE_S, current().is_abandoned) as deadline,
            ):
                answer = super().send(request, **{**options, "stream": True, "timeout": WHOLE_S})
                content = answer.raw.read(MAX_ANSWER_BYTES + 1, decode_content=True)
                deadline.check()
        except (HTTPError, OutgoingError, TooManyRequests, Unavailable) as error:
            raise RequestFailed(str(error)) from error
        if len(content) > MAX_ANSWER_BYTES:
            raise RequestFailed(f"the answer is larger than {MAX_ANSWER_BYTES} bytes")
        answer._content, answer._content_consumed = content, True  # type: ignore[attr-defined]  # as when it reads itself
        return answer
