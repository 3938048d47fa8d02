import base64
import hashlib
import hmac
import re
import time

TOLERANCE_SECONDS = 300


def is_genuine(headers, body: bytes, secret: str) -> bool:
    """Whether a webhook was sent by somebody who knows the secret, within the last minutes.

    headers: of the request, their names in lower case
    body: the bytes as they came, before any parser has seen them
    secret: of the endpoint, whsec_…
    """
    webhook_id = headers.get("webhook-id", "")
    timestamp = headers.get("webhook-timestamp", "")
    signatures = headers.get("webhook-signature", "")
    if not webhook_id or not re.fullmatch(r"[0-9]{1,12}", timestamp):
        return False
    if abs(time.time() - int(timestamp)) > TOLERANCE_SECONDS:
        return False

    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = f"{webhook_id}.{timestamp}.".encode() + body
    expected = base64.b64encode(hmac.new(key, signed, hashlib.sha256).digest())
    # Several, separated by spaces, while the secret is being changed.
    return any(
        hmac.compare_digest(signature.encode(), b"v1," + expected)
        for signature in signatures.split(" ")
    )
