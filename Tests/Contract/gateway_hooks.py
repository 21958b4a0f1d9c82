"""What Schemathesis adds to each request that it makes up: the tokens that `gateway.py` has given it, whatever the document
says is needed."""
import json
import os

import schemathesis

TOKENS = json.loads(os.environ["ZONDA_CONTRACT_TOKENS"])


@schemathesis.hook
def before_call(context, case, kwargs):
    query = case.query if isinstance(case.query, dict) else {}
    case.query = query | TOKENS
