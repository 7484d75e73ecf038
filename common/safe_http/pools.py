"""The rules of `common.safe_http.addresses` for libraries that bring a client of their own, if that is urllib3's.

Each new connection looks the host's name up once, checks what it finds, and goes to one of these addresses, also after
a redirect. TLS still checks the certificate of the name.
"""

from typing import Any

from django.conf import settings
from urllib3 import PoolManager
from urllib3.connection import HTTPConnection
from urllib3.exceptions import NewConnectionError

from common.safe_http.addresses import OutgoingError, look_up, networks_of, target_of
from common.safe_http.deadlines import watch

_LOOK_UP_S = 5


def keep_outside(manager: PoolManager) -> None:
    """Let connections of a manager lead nowhere but to the public network, and networks that the operator allowed."""
    _connect_by(manager, _Checked)


def keep_deadlines(manager: PoolManager) -> None:
    """Let deadlines (`common.safe_http.deadlines`) end the connections of a manager that may lead anywhere."""
    _connect_by(manager, _Watched)


def _connect_by(manager: PoolManager, base: type[HTTPConnection]) -> None:
    """Give a manager classes of connections that begin with ours; all else is as the library has it."""
    classes: dict[str, Any] = manager.pool_classes_by_scheme
    manager.pool_classes_by_scheme = {
        scheme: type(f"Our{pool.__name__}", (pool,), {"ConnectionCls": _ours(base, pool.ConnectionCls)})
        for scheme, pool in classes.items()
    }


def _ours(base: Any, connection: Any) -> Any:
    return type(f"Our{connection.__name__}", (base, connection), {})


class _Watched(HTTPConnection):
    def connect(self) -> None:
        super().connect()
        self._watch()

    def request(self, *args: Any, **options: Any) -> None:
        self._watch()  # one that is used again
        super().request(*args, **options)

    def _watch(self) -> None:
        try:
            watch(getattr(self, "sock", None))
        except OutgoingError as error:  # the deadline has passed between two tries
            raise NewConnectionError(self, str(error)) from error


class _Checked(_Watched):
    def _new_conn(self) -> Any:
        name = self._dns_host
        self._dns_host = self._address_of(name)
        try:
            return super()._new_conn()
        finally:
            self._dns_host = name

    def _address_of(self, name: str) -> str:
        host = f"[{name.strip('[]')}]" if ":" in name else name
        try:
            target = target_of(f"{'https' if self.default_port == 443 else 'http'}://{host}:{self.port}/")
            found = look_up(target, wait_s=_LOOK_UP_S, networks=networks_of(tuple(settings.ALLOWED_NETWORKS)))
        except OutgoingError as error:
            raise NewConnectionError(self, str(error)) from error
        return str(found[0][1][0])


def refusal_in(error: BaseException) -> str:
    """Return why an address may not be asked, or "" if it is not for that: libraries bury the reason."""
    waiting: list[Any] = [error]
    seen: set[int] = set()
    while waiting:
        each = waiting.pop()
        if not isinstance(each, BaseException) or id(each) in seen:
            continue
        seen.add(id(each))
        if isinstance(each, OutgoingError) and each.is_refused:
            return str(each)
        waiting += [each.__cause__, each.__context__, *each.args, *getattr(each, "kwargs", {}).values()]
        waiting += [getattr(each, name, None) for name in ("reason", "inner_exception")]
    return ""
