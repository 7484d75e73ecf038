"""How large the body of a request may be."""

from django.conf import settings

from common.errors import TooLarge


def body_too_large() -> TooLarge:
    """Return the refusal of a body that Django would have to hold in memory."""
    limit = settings.DATA_UPLOAD_MAX_MEMORY_SIZE
    return TooLarge(f"A request may have at most {limit} bytes here (setting RUNYARD_GRAPHQL_MAX_MIB).")
