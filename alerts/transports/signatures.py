"""Signatures of webhooks: by them a peer knows that a request is ours, and that it is not an old one again."""

import base64
import hashlib
import hmac


def signed_headers(body: bytes, secret: str, *, at_s: int) -> dict[str, str]:
    """Return the headers that sign a body.

    Args:
        body: Exactly the bytes that are sent.
        secret: Known to the peer.
        at_s: Now, in seconds since 1970.
    """
    key = secret.encode()
    plain = hmac.new(key, body, hashlib.sha256).digest()
    timed = hmac.new(key, f"{at_s}.".encode() + body, hashlib.sha256).hexdigest()
    return {
        "X-Wandb-Signature": base64.b64encode(plain).decode(),
        "X-Runyard-Signature-256": f"t={at_s},v1={timed}",
    }
