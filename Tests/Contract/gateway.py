"""Compares real answers of a gateway with deploy/docs/openapi.yaml. Schemathesis generates requests, well-formed and
malformed, and each answer must have a status, a type and a body that the document describes.

    check gateway SECONDS    the gateway at ZONDA_URL, for ZONDA_CONTAINER, ZONDA_API_TOKEN and ZONDA_WEB_AUTH_TOKEN, and
                             ZONDA_KEY_ID with the private key in ZONDA_KEY

Four callers share the time: a user who has signed in, a caller who has not and is refused at most endpoints, a server with
its key, and a registered client that polls for notifications. Set ZONDA_COURIER_WAIT so that an idle poll is short."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import typing
import urllib.parse
import urllib.request

import openapi_page

HERE = pathlib.Path(__file__).resolve().parent
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance," \
         "response_schema_conformance"
TOKENS = {"ckAPIToken": "ZONDA_API_TOKEN", "ckWebAuthToken": "ZONDA_WEB_AUTH_TOKEN"}
# Only registered clients poll here.
COURIER = "/courier"
# Ends the caller's own sign-in. SessionTests test it.
SIGN_OUT = "users/signOut"
# Generated requests never succeed here, because they need objects that exist.
NEVER_GOOD = {"assets/rereference", "tokens/register", "signin",
              SIGN_OUT}


def prepare():
    """Creates the objects that the document's examples name, so that their answers have records."""
    query = urllib.parse.urlencode({key: os.environ[name] for key, name in TOKENS.items()})

    def ask(database, endpoint, body):
        url = f"{os.environ['ZONDA_URL']}/database/1/{os.environ['ZONDA_CONTAINER']}/development/{database}/{endpoint}"
        with urllib.request.urlopen(f"{url}?{query}", json.dumps(body).encode()) as answer:
            text = answer.read().decode()
            assert "serverErrorCode" not in text, endpoint
            return json.loads(text)

    zone = {"zoneName": "Drafts"}
    fields = {"title": {"value": "Milk"}, "folder": {"value": "inbox"}}
    record = {"recordName": "n-0007", "recordType": "Note", "fields": fields}
    saving = {"operations": [{"operationType": "forceUpdate", "record": record}]}
    ask("private", "zones/modify", {"operations": [{"operationType": "create", "zone": {"zoneID": zone}}]})
    ask("private", "records/modify", saving | {"zoneID": zone})
    ask("private", "records/modify", saving)
    ask("public", "records/modify", saving)
    ask("private", "subscriptions/modify", {"operations": [{"operationType": "create", "subscription": {
        "subscriptionID": "inbox-watch", "subscriptionType": "query", "query": {"recordType": "Note"},
        "firesOn": ["create"], "notificationInfo": {"alertBody": "Inbox changed"}}}]})
    registered = ask("private", "tokens/create", {"apnsEnvironment": "development", "clientId": "listener"})
    return urllib.parse.parse_qs(urllib.parse.urlsplit(registered["webcourierURL"]).query)["tok"][0]


class Caller(typing.NamedTuple):
    """A sender of requests, and its credentials."""
    name: str
    # Credentials that are added to each request: see gateway_hooks.py.
    proofs: dict
    # The phases of Schemathesis.
    phases: str
    # The share of the time.
    share: float
    paths: list


def callers(folder, client):
    """Returns all callers; `client` is the token of a registered client."""
    tokens = {key: os.environ[name] for key, name in TOKENS.items()}
    key = folder / "key.pem"
    key.write_text(os.environ["ZONDA_KEY"])
    # The user must stay signed in.
    elsewhere = ["--exclude-path", COURIER, "--exclude-path-regex", SIGN_OUT]
    return [
        Caller("a user", {"query": tokens}, "examples,coverage,fuzzing", 0.6, elsewhere),
        Caller("a caller without a sign-in", {"query": {"ckAPIToken": tokens["ckAPIToken"]}}, "examples,fuzzing", 0.1, elsewhere),
        # The endpoints that a key may use.
        Caller("a server", {"keyID": os.environ["ZONDA_KEY_ID"], "key": str(key)}, "examples,fuzzing", 0.2,
               ["--include-path-regex", "/records/|/users/caller"]),
        Caller("a registered client", {"client": client}, "examples,coverage,fuzzing", 0.1, ["--include-path", COURIER]),
    ]


def configuration():
    # All requests name a container that exists, since the error for other containers needs few tests.
    return f"""
base-url = "{os.environ["ZONDA_URL"]}"
color = false
hooks = "gateway_hooks.py"
request-timeout = 20
warnings = false
[generation]
deterministic = true
no-shrink = true
with-security-parameters = false
[parameters]
"path.container" = "{os.environ["ZONDA_CONTAINER"]}"
"path.environment" = "development"
"""


def run(caller, seconds):
    """Sends requests as a caller. Returns whether all answers were as documented, and the successful answers by endpoint."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "schemathesis.toml").write_text(configuration())
        (folder / "gateway_hooks.py").write_text((HERE / "gateway_hooks.py").read_text())
        report = folder / "report.ndjson"
        command = [
            pathlib.Path(sys.executable).with_name("schemathesis"), "--config-file", folder / "schemathesis.toml",
            "run", openapi_page.DOCUMENT, "--checks", CHECKS, "--phases", caller.phases, "--max-time", str(seconds),
            "--max-examples", "20", "--continue-on-failure", *caller.paths, "--suppress-health-check", "all",
            "--report-ndjson-path", report,
        ]
        result = subprocess.run(
            command, cwd=folder, env=os.environ | {"ZONDA_CONTRACT_PROOFS": json.dumps(caller.proofs)},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode != 0:
            print(f"As {caller.name}:\n{result.stdout}")
        return result.returncode == 0, good_answers(report)


def good_answers(report):
    """Returns the number of successful answers of each operation to its own method."""
    counts = collections.Counter()
    for line in report.read_text().splitlines() if report.exists() else []:
        recorder = json.loads(line).get("ScenarioFinished", {}).get("recorder")
        for interaction in recorder.get("interactions", {}).values() if recorder else []:
            response, method = interaction["response"], recorder["label"].split(" ")[0]
            if response and interaction["request"]["method"] == method and response["status_code"] == 200:
                counts[recorder["label"].removeprefix(f"{method} ")] += 1
    return counts


def wanted(caller):
    """Returns the operations from which a caller must have received a successful answer. An error is as documented too, so
    without this rule an operation might not be tested at all."""
    paths = openapi_page.document()["paths"]
    if caller.name == "a user":
        return [path for path in paths if path != COURIER and not path.endswith(tuple(NEVER_GOOD))]
    if caller.name == "a server":
        return [path for path in paths if path.endswith(("records/modify", "records/query", "records/lookup"))]
    return [COURIER] if caller.name == "a registered client" else []


is_good = True
with tempfile.TemporaryDirectory() as secrets:
    for caller in callers(pathlib.Path(secrets), prepare()):
        conforms, answers = run(caller, max(1, round(int(sys.argv[1]) * caller.share)))
        is_good &= conforms
        missing = [path for path in wanted(caller) if not answers[path]]
        if missing:
            is_good = False
            print(f"As {caller.name}: no good answer from", *missing, sep="\n    ")
sys.exit(0 if is_good else 1)
