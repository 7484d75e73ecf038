"""How many requests a minute a user or an address has (ACC-23); 429 says the limit and when to come again.

An account may have a thousand API keys, so they share what is counted; browsers are counted apart from them.
"""

from django.http import HttpRequest

from access.actor import Actor
from common.budgets.budget import current
from common.errors import TooManyRequests
from common.rate_limits import spend, spend_later

WINDOW_S = 60


def spend_request(request: HttpRequest, actor: Actor, *, what: str, limit: int, setting: str) -> None:
    """Count a request of this actor; the middleware writes what is left into the answer.

    Args:
        request: The one that is counted.
        actor: Who asks; requests without an account count by address.
        what: What is limited, such as "rest".
        limit: Requests a minute; 0 is no limit.
        setting: The variable that sets it, for the message.

    Raises:
        TooManyRequests: it was one too many.
    """
    caller, name = _caller(actor)
    if actor.user_id is not None:
        current().caller = user_caller(actor.user_id)
    part = "" if actor.key_id is None else key_caller(actor.key_id)
    allowance = spend(what, caller, limit=limit, window_s=WINDOW_S, part=part)
    if allowance is None:
        return
    request.allowance = allowance  # type: ignore[attr-defined]  # read by access.web.middleware.AccessMiddleware
    if allowance.is_spent:
        message = (
            f"More than {limit} requests in a minute by this {name} (setting {setting});"
            f" ask again in {allowance.reset_s} s."
        )
        raise TooManyRequests(message, wait_s=allowance.reset_s)


def spend_more(actor: Actor, *, what: str, limit: int, amount: int) -> None:
    """Let a request that is done count for so many more, beginning with the caller's next one."""
    if limit and amount > 0:
        spend_later(what, _caller(actor)[0], amount)


def keys_caller(user_id: int) -> str:
    """Return whose requests are counted when they come with an API key of an account."""
    return f"keys of user {user_id}"


def key_caller(pk: int) -> str:
    """Return as what the requests by one key are counted, of those of its account."""
    return f"key {pk}"


def user_caller(pk: int) -> str:
    """Return whose requests are counted when they come from a browser."""
    return f"user {pk}"


def _caller(actor: Actor) -> tuple[str, str]:
    if actor.user_id is None:
        return f"address {actor.address}", "address"
    if actor.key_id is not None:
        return keys_caller(actor.user_id), "account’s API keys"
    return user_caller(actor.user_id), "account"
