"""What S3 says when it refuses, in one plain sentence each; nothing of a key or a signature gets into one."""

import re
from typing import Any

from botocore import exceptions
from botocore.exceptions import ClientError

from common.errors import Invalid
from common.safe_http.pools import refusal_in
from storage.backends.base import ObjectMissing, StorageUnavailable

_CREDENTIALS = {
    "InvalidAccessKeyId": "does not know the access key",
    "SignatureDoesNotMatch": "refuses the signature: the secret key does not belong to the access key",
    "ExpiredToken": "refuses the credentials: they have expired",
    "TokenRefreshRequired": "refuses the credentials: they have expired",
    "InvalidToken": "refuses the session token",
    "RequestTimeTooSkewed": "refuses the time of the request: the clock of this server is wrong",
    "RequestExpired": "refuses the time of the request: the clock of this server is wrong",
    "AccountProblem": "refuses: there is a problem with its account",
    "InvalidPayer": "refuses: there is a problem with its account",
    "KMS.DisabledException": "refuses: its encryption key is disabled",
    "KMS.NotFoundException": "refuses: its encryption key is not there",
    "QuotaExceeded": "is full",
    "XMinioStorageFull": "is full",
    "NoSuchBucket": "does not exist",
    "InvalidBucketName": "has a name that is not allowed",
}
_OTHER_REGION = {
    "PermanentRedirect", "TemporaryRedirect", "AuthorizationHeaderMalformed", "IllegalLocationConstraintException",
    "AuthorizationQueryParametersError", "301", "307",
}  # fmt: skip
_REFUSED = {"AccessDenied", "AllAccessDisabled", "UnauthorizedAccess", "Forbidden"}
_MISSING = {"NoSuchKey", "404", "NotFound"}
_OTHER_BYTES = {"BadDigest", "InvalidDigest", "XAmzContentSHA256Mismatch", "IncompleteBody"}
_BUSY = {
    "SlowDown",
    "ServiceUnavailable",
    "InternalError",
    "503",
    "500",
    "RequestTimeout",
    "OperationAborted",
}
_CODE = re.compile(r"[\w.]{1,64}", re.ASCII)
_REGION = re.compile(r"[a-z0-9-]{1,40}")


def code_of(error: ClientError) -> str:
    """Return the provider's word for an error, which is the status where an answer has no body."""
    code = str(error.response.get("Error", {}).get("Code", ""))
    return code if _CODE.fullmatch(code) else "an unknown error"


def error_of(error: ClientError, bucket: str, permission: str) -> StorageUnavailable | Invalid:
    """Return what to raise for an answer that is none.

    Args:
        error: What the bucket has answered.
        bucket: Its name.
        permission: What the request needs, such as ``s3:PutObject``.
    """
    code = code_of(error)
    if code in _MISSING:
        return ObjectMissing(f"The bucket {bucket} has no such object.")
    if code in _OTHER_BYTES:
        return Invalid(f"The bucket {bucket} got other bytes than were announced ({code}).")
    return StorageUnavailable(f"The bucket {bucket} {_why(error, code, permission)}.")


def _why(error: ClientError, code: str, permission: str) -> str:
    if code in _CREDENTIALS:
        return _CREDENTIALS[code]
    if code in _OTHER_REGION:
        region = _region_in(error.response)
        return "is in another region" + (f": {region}" if region else "")
    if code == "403":  # without a body, as answers to HEAD are
        return f"refuses: the permission {permission} is missing, or the credentials do not hold"
    if code in _REFUSED:
        return f"refuses: the permission {permission} is missing, or its policy denies it"
    if code in _BUSY:
        return f"does not answer now ({code})"
    return f"answered {code} to a request that needs {permission}"


def _region_in(response: Any) -> str:
    headers = response.get("ResponseMetadata", {}).get("HTTPHeaders", {})
    found = str(headers.get("x-amz-bucket-region") or response.get("Error", {}).get("Region") or "")
    return found if _REGION.fullmatch(found) else ""


_NOT_ASKED: list[tuple[type[Exception], str]] = [
    (exceptions.NoCredentialsError, "cannot be asked: there are no credentials"),
    (exceptions.ProfileNotFound, "cannot be asked: the profile that AWS_PROFILE names is not there"),
    (exceptions.PartialCredentialsError, "cannot be asked: the credentials are not complete"),
    (
        exceptions.CredentialRetrievalError,
        "cannot be asked: there are no credentials, or they were not renewed",
    ),
    (exceptions.TokenRetrievalError, "cannot be asked: there are no credentials, or they were not renewed"),
    (exceptions.ParamValidationError, "cannot be asked: its name is not allowed"),
    (exceptions.ConnectTimeoutError, "does not answer: connecting took too long"),
    (exceptions.ReadTimeoutError, "does not answer: it took too long"),
    (exceptions.SSLError, "is not asked: its certificate does not hold"),
    (exceptions.ProxyConnectionError, "cannot be reached: the proxy does not answer"),
    (exceptions.EndpointConnectionError, "cannot be reached"),
    (exceptions.IncompleteReadError, "sent less than it has announced"),
    (exceptions.ResponseStreamingError, "broke off in the middle of an object"),
    (exceptions.ConnectionClosedError, "closed the connection"),
]


def failure_of(error: Exception, bucket: str) -> StorageUnavailable:
    """Return what to raise where no answer came, or not all of it."""
    refused = refusal_in(error)
    if refused:
        return StorageUnavailable(f"The bucket {bucket} is not asked: {refused}.")
    for kind, why in _NOT_ASKED:
        if isinstance(error, kind):
            return StorageUnavailable(f"The bucket {bucket} {why}.")
    return StorageUnavailable(f"The bucket {bucket} does not answer ({type(error).__name__}).")
