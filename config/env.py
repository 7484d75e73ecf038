"""The one place that reads the environment; every variable is described in docs/operate/configure.md."""

import os
import secrets
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar

import environ
import platformdirs

from common.server.start_checks import make_private


@dataclass(frozen=True, slots=True)
class Variable:
    """One variable of the environment, as it was read."""

    value: Any
    default: Any
    is_given: bool


class RecordingEnv(environ.FileAwareEnv):  # type: ignore[misc]  # django-environ has no type stubs
    """Reads ``X`` or, for secrets mounted as files, the file that ``X_FILE`` names; keeps what was read."""

    known: ClassVar[dict[str, Variable]] = {}

    def get_value(self, var: str, *args: Any, **kwargs: Any) -> Any:
        """Return a variable's value."""
        value = super().get_value(var, *args, **kwargs)
        is_given = var in os.environ or f"{var}_FILE" in os.environ
        self.known.setdefault(var, Variable(value, kwargs.get("default"), is_given))
        return value


env = RecordingEnv()

ROOT = Path(__file__).resolve().parent.parent
IS_CHECKOUT = (ROOT / "pyproject.toml").exists()
"""Whether this is a checkout, not an installed wheel."""
_usual_home = ROOT / "var" if IS_CHECKOUT else platformdirs.user_data_path("runyard", appauthor=False)
HOME = Path(env.str("RUNYARD_HOME", default=str(_usual_home))).expanduser().resolve()
"""The data folder: database, blobs, secret key, collected static files."""

EMBEDDED_REDIS_URL_FILE = HOME / "redis-url"
"""Where ``serve`` leaves the URL of the embedded Redis, for commands started beside it."""


SECRET_KEY_FILE = HOME / "secret-key"
"""Where the secret key is kept if none is given; lines after the first are former keys."""


def secret_keys() -> list[str]:
    """Return the secret key and, after it, former ones that are accepted beside it (docs/operate/run.md).

    They are RUNYARD_SECRET_KEY and RUNYARD_SECRET_KEY_FALLBACKS, or the lines of the file in the data folder, which is
    made on first use with mode 0600.
    """
    fallbacks: str = env.str("RUNYARD_SECRET_KEY_FALLBACKS", default="")
    former = [key.strip() for key in fallbacks.split("\n" if "\n" in fallbacks else ",") if key.strip()]
    given: str = env.str("RUNYARD_SECRET_KEY", default="")
    if given:
        return [given, *former]
    path = SECRET_KEY_FILE
    if not path.exists():
        make_private(HOME)
        fresh = HOME / f"secret-key.{os.getpid()}"
        fresh.touch(mode=0o600)
        fresh.write_text(secrets.token_urlsafe(48))
        try:
            os.link(fresh, path)  # of two processes starting at once, the first wins and both read the same
        except FileExistsError:
            pass
        finally:
            fresh.unlink()
    return [*path.read_text().split(), *former]


def redis_url() -> str:
    """Return RUNYARD_REDIS_URL, or the running embedded server's, or an address where nothing answers."""
    given: str = env.str("RUNYARD_REDIS_URL", default="")
    if given:
        return given
    if EMBEDDED_REDIS_URL_FILE.exists():
        return EMBEDDED_REDIS_URL_FILE.read_text().strip()
    return f"unix://{HOME}/no-redis.sock"
