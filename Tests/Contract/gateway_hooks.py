"""What Schemathesis adds to each request that it makes up, so that the caller is who `gateway.py` says, whatever the document
says is needed: tokens in the query, a server-to-server signature, or the token of a registered client."""
import base64
import datetime
import hashlib
import itertools
import json
import os
import pathlib

import schemathesis
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from requests.auth import AuthBase

PROOFS = json.loads(os.environ["ZONDA_CONTRACT_PROOFS"])
# Every other poll is the client's own.
TURNS = itertools.cycle([{"tok": PROOFS["client"]}, {}] if "client" in PROOFS else [{}])


@schemathesis.hook
def before_call(context, case, kwargs):
    query = case.query if isinstance(case.query, dict) else {}
    case.query = query | PROOFS.get("query", {}) | next(TURNS)


class Signature(AuthBase):
    """Signs a request as it will be sent."""

    def __init__(self):
        self.key = serialization.load_pem_private_key(pathlib.Path(PROOFS["key"]).read_bytes(), None)

    def __call__(self, request):
        body = request.body or b""
        body = body.encode() if isinstance(body, str) else body
        date = datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
        digest = base64.b64encode(hashlib.sha256(body).digest()).decode()
        signature = self.key.sign(f"{date}:{digest}:{request.path_url}".encode(), ec.ECDSA(hashes.SHA256()))
        request.headers["X-Apple-CloudKit-Request-KeyID"] = PROOFS["keyID"]
        request.headers["X-Apple-CloudKit-Request-ISO8601Date"] = date
        request.headers["X-Apple-CloudKit-Request-SignatureV1"] = base64.b64encode(signature).decode()
        return request


if "key" in PROOFS:
    schemathesis.auth.set_from_requests(Signature())
