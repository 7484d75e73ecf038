"""``python -m tests.fakes.oidc_server PORT``: oidc-provider-mock, which also takes public clients, and checks PKCE."""

import base64
import hashlib
import sys
from typing import Any

from authlib.oauth2.rfc6749.errors import InvalidGrantError
from oidc_provider_mock import _app

_challenges: dict[str, str] = {}


class StricterGrant(_app.AuthorizationCodeGrant):
    """Clients without a secret may come, and everybody proves that they asked for the code (RFC 7636)."""

    TOKEN_ENDPOINT_AUTH_METHODS = ("client_secret_basic", "client_secret_post", "none")

    def save_authorization_code(self, code: str, request: Any) -> Any:
        """Keep the challenge beside the code."""
        _challenges[code] = request.payload.data["code_challenge"]
        return super().save_authorization_code(code, request)

    def validate_token_request(self) -> None:
        """Compare the verifier with it.

        Raises:
            InvalidGrantError: it is another's.
        """
        super().validate_token_request()
        form = self.request.form
        digest = hashlib.sha256(form.get("code_verifier", "").encode()).digest()
        if base64.urlsafe_b64encode(digest).rstrip(b"=").decode() != _challenges.pop(form["code"], ""):
            raise InvalidGrantError("the code verifier is wrong")


if __name__ == "__main__":
    _app.AuthorizationCodeGrant = StricterGrant
    import uvicorn
    from oidc_provider_mock import app

    uvicorn.run(app(), interface="wsgi", port=int(sys.argv[1]), log_level="critical")
