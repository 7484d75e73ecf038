"""How large the body of a request may be."""

from django.conf import settings

from common.errors import TooLarge


def most_bytes(path: str) -> int:
    """Return what a request to a path may have: only to GraphQL clients send whole configurations and summaries."""
    most = int(settings.DATA_UPLOAD_MAX_MEMORY_SIZE)
    return most if path == "/graphql" else min(most, settings.BODY_MAX_BYTES)


def body_too_large(path: str = "/graphql") -> TooLarge:
    """Return the refusal of a body that Django would have to read into memory."""
    limit = most_bytes(path)
    name = (
        "RUNYARD_GRAPHQL_MAX_MIB" if limit == settings.DATA_UPLOAD_MAX_MEMORY_SIZE else "RUNYARD_BODY_MAX_MIB"
    )
    return TooLarge(f"A request may have at most {limit} bytes here (setting {name}).", setting=name)
