"""Real answers of a gateway against deploy/docs/openapi.yaml: Schemathesis makes up requests, well-formed and not, and
each answer has to be one that the document has, with a status, a type and a body as it is told there.

    check gateway SECONDS    the gateway at ZONDA_URL, for ZONDA_CONTAINER, ZONDA_API_TOKEN and ZONDA_WEB_AUTH_TOKEN

The time is shared by two callers: a user who is signed in, and nobody in particular, for whom most doors are closed. Nothing
here waits for notifications: an idle poll takes as long as it takes."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import urllib.parse
import urllib.request

import openapi_page

HERE = pathlib.Path(__file__).resolve().parent
CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance," \
         "response_schema_conformance"
# Who asks: with which tokens, in which of Schemathesis's phases, and for how much of the time.
CALLERS = {
    "a user": ({"ckAPIToken": "ZONDA_API_TOKEN", "ckWebAuthToken": "ZONDA_WEB_AUTH_TOKEN"},
               "examples,coverage,fuzzing", 0.8),
    "nobody": ({"ckAPIToken": "ZONDA_API_TOKEN"}, "examples,fuzzing", 0.2),
}
# Made-up requests never get a good answer of these: sharing is not served, and the others need what was there before.
NEVER_GOOD = {"records/resolve", "records/accept", "assets/rereference", "tokens/register", "signin"}


def prepare():
    """Makes what the document's examples ask for, so that their answers have records in them."""
    query = urllib.parse.urlencode({key: os.environ[name] for key, name in CALLERS["a user"][0].items()})

    def ask(database, endpoint, body):
        url = f"{os.environ['ZONDA_URL']}/database/1/{os.environ['ZONDA_CONTAINER']}/development/{database}/{endpoint}"
        with urllib.request.urlopen(f"{url}?{query}", json.dumps(body).encode()) as answer:
            assert "serverErrorCode" not in answer.read().decode(), endpoint

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


def configuration():
    # All requests go where there is something: that other containers are not there is soon said.
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


def run(caller, tokens, phases, seconds):
    """Asks as a caller. Returns whether all answers were as documented, and the endpoints that gave a good one."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "schemathesis.toml").write_text(configuration())
        (folder / "gateway_hooks.py").write_text((HERE / "gateway_hooks.py").read_text())
        report = folder / "report.ndjson"
        command = [
            pathlib.Path(sys.executable).with_name("schemathesis"), "--config-file", folder / "schemathesis.toml",
            "run", openapi_page.DOCUMENT, "--checks", CHECKS, "--phases", phases, "--max-time", str(seconds),
            "--max-examples", "20", "--continue-on-failure", "--exclude-path", "/courier", "--suppress-health-check",
            "all", "--report-ndjson-path", report,
        ]
        given = {key: os.environ[variable] for key, variable in tokens.items()}
        result = subprocess.run(
            command, cwd=folder, env=os.environ | {"ZONDA_CONTRACT_TOKENS": json.dumps(given)},
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if result.returncode != 0:
            print(f"As {caller}:\n{result.stdout}")
        return result.returncode == 0, good_answers(report)


def good_answers(report):
    """How many good answers each operation gave to its own method."""
    counts = collections.Counter()
    for line in report.read_text().splitlines() if report.exists() else []:
        recorder = json.loads(line).get("ScenarioFinished", {}).get("recorder")
        for interaction in recorder.get("interactions", {}).values() if recorder else []:
            response, method = interaction["response"], recorder["label"].split(" ")[0]
            if response and interaction["request"]["method"] == method and response["status_code"] == 200:
                counts[recorder["label"].removeprefix(f"{method} ")] += 1
    return counts


is_good = True
prepare()
for caller, (tokens, phases, share) in CALLERS.items():
    conforms, answers = run(caller, tokens, phases, max(1, round(int(sys.argv[1]) * share)))
    is_good &= conforms
    # An error is as documented too; without a good answer nothing was tried.
    missing = [path for path in openapi_page.document()["paths"]
               if not answers[path] and path != "/courier" and not path.endswith(tuple(NEVER_GOOD))]
    if caller == "a user" and missing:
        is_good = False
        print("No good answer from", *missing, sep="\n    ")
sys.exit(0 if is_good else 1)
