"""Real answers of a gateway against deploy/docs/openapi.yaml: Schemathesis makes up requests, well-formed and not, and
each answer has to be one that the document has, with a status, a type and a body as it is told there.

    gateway SECONDS    the gateway at ZONDA_URL, for ZONDA_CONTAINER, ZONDA_API_TOKEN and ZONDA_WEB_AUTH_TOKEN

The time is shared by two callers: a user who is signed in, and nobody in particular, for whom most doors are closed. Nothing
here waits for notifications: an idle poll takes as long as it takes."""
import os
import pathlib
import subprocess
import sys
import tempfile

import openapi_page

CHECKS = "not_a_server_error,status_code_conformance,content_type_conformance,response_headers_conformance," \
         "response_schema_conformance"
# Who asks: with what, in which of Schemathesis's phases, and for how much of the time.
CALLERS = {
    "a user": (("apiToken", "webAuthToken"), "examples,coverage,fuzzing", 0.8),
    "nobody": (("apiToken",), "examples,fuzzing", 0.2),
}
TOKENS = {"apiToken": "ZONDA_API_TOKEN", "webAuthToken": "ZONDA_WEB_AUTH_TOKEN"}


def configuration(schemes):
    """Settings of Schemathesis; tokens are taken from the environment."""
    lines = [
        f'base-url = "{os.environ["ZONDA_URL"]}"', "color = false", "request-timeout = 20", "warnings = false",
        "[generation]", "with-security-parameters = false", "deterministic = true", "no-shrink = true",
        # Most requests go where there is something; the others find that there is no such container.
        "[parameters]", f'"path.container" = ["{os.environ["ZONDA_CONTAINER"]}"]',
        '"path.environment" = ["development"]',
    ]
    for scheme in schemes:
        lines += [f"[auth.openapi.{scheme}]", f'api_key = "${{{TOKENS[scheme]}}}"']
    return "\n".join(lines) + "\n"


def run(caller, schemes, phases, seconds):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder, "schemathesis.toml")
        path.write_text(configuration(schemes))
        program = pathlib.Path(sys.executable).with_name("schemathesis")
        command = [
            program, "--config-file", path, "run", openapi_page.DOCUMENT, "--checks", CHECKS,
            "--phases", phases, "--max-time", str(seconds), "--max-examples", "20",
            "--continue-on-failure", "--exclude-path", "/courier", "--suppress-health-check", "all",
        ]
        result = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if result.returncode != 0:
        print(f"As {caller}:\n{result.stdout}")
    return result.returncode == 0


seconds = int(sys.argv[1])
good = [run(caller, schemes, phases, max(1, round(seconds * share)))
        for caller, (schemes, phases, share) in CALLERS.items()]
sys.exit(0 if all(good) else 1)
