"""The document itself: that it is AsyncAPI, hangs together, and names what the code has and nothing else."""
import json
import re
import sys
import warnings

import jsonschema

import documents
from document import PARTS, REPOSITORY, Document
from operations import operations

document = Document()
tree = document.tree
faults = []


def expect(condition, fault):
    if not condition:
        faults.append(fault)


def same(what, documented, actual):
    documented, actual = set(documented), set(actual)
    for name in sorted(documented - actual):
        faults.append(f"{what} {name} is documented, but not there")
    for name in sorted(actual - documented):
        faults.append(f"{what} {name} is not documented")


def nodes(node, path="#"):
    yield path, node
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield from nodes(child, f"{path}/{key}")


def is_asyncapi():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from asyncapi3.models import AsyncAPI3
    try:
        AsyncAPI3.model_validate(tree)
    except ValueError as error:
        faults.append(f"it is not AsyncAPI 3.0: {error}")


def hangs_together():
    used = set()
    for path, node in nodes(tree):
        if isinstance(node, dict) and "$ref" in node:
            used.add(node["$ref"])
            expect(len(node) == 1, f"{path}: what stands beside a $ref is ignored")
            try:
                document.follow(node)
            except KeyError:
                faults.append(f"{path}: {node['$ref']} leads nowhere")
        # A comma in a description that is not in quotes makes keys of the rest of it.
        if isinstance(node, dict):
            expect(all(node[key] is not None or key == "address" for key in node), f"{path}: a key without a value")
    for kind, components in tree["components"].items():
        for name in components:
            expect(f"#/components/{kind}/{name}" in used, f"components/{kind}/{name} is not used")
    operated = {operation["channel"]["$ref"] for operation in tree["operations"].values()}
    for name, _, _, _ in document.channels("routingKey"):
        expect(f"#/channels/{name}" in operated, f"no operation uses the channel {name}")


def schemas_are_sound():
    known = set(jsonschema.Draft7Validator.META_SCHEMA["properties"])
    named = ("properties", "patternProperties", "definitions", "dependencies")
    for name, schema in tree["components"]["schemas"].items():
        try:
            jsonschema.Draft7Validator.check_schema(schema)
        except jsonschema.SchemaError as error:
            faults.append(f"schema {name}: {error.message}")
        for path, node in nodes(schema, name):
            is_names = path.rsplit("/", 1)[-1] in named and not path.endswith("properties/properties")
            if isinstance(node, dict) and not is_names:
                expect(set(node) <= known, f"schema {path}: unknown keywords {sorted(set(node) - known)}")


def examples_are_true():
    for name, message in document.messages.items():
        for example in message.get("examples", []):
            for part in set(PARTS) & set(example):
                for error in document.validator(message[part]["$ref"]).iter_errors(example[part]):
                    faults.append(f"the example '{example['name']}' of {name}: {error.json_path} {error.message}")


def names_what_the_code_has(code):
    schemas = tree["components"]["schemas"]
    same("error code", schemas["ServerErrorCode"]["enum"], code["errorCodes"])
    same("status", schemas["FailureHeaders"]["properties"]["zonda-status"]["enum"], code["statuses"])
    same("field type", schemas["FieldType"]["enum"], code["fieldTypes"])
    fields = [field["properties"]["type"]["const"] for field in schemas["Field"]["oneOf"]]
    same("type of a field", fields, code["fieldTypes"])
    same("operationType", schemas["RecordOperation"]["properties"]["operationType"]["enum"], code["operationTypes"])
    expect([schemas["CKErrorCode"][bound] for bound in ("minimum", "maximum")] == code["ckErrorCodes"], "ckErrorCode")

    requests = {channel["address"]: (name, binding["exchange"]["name"])
                for name, channel, binding, _ in document.channels("routingKey") if name in tree["operations"]}
    same("operation", requests, code["operations"])
    for key, operation in code["operations"].items():
        name, exchange = requests.get(key, (None, None))
        if name:
            message = document.messages[name + "Request"]
            required = document.follow(message["x-amqp-properties"]).get("required", [])
            expect(exchange == operation["exchange"], f"{key} goes to {operation['exchange']}")
            expect(("message-id" in required) == operation["isWrite"], f"{key}: is a message-id required?")
            expect((message["headers"]["$ref"].endswith("/UserHeaders")) == operation["isScoped"], f"{key}: scope")
    # The derived parts come from the source of the table, which must agree with the compiled one.
    for row in operations().values():
        compiled, read = code["operations"].get(row.key), {
            "exchange": row.exchanges[0], "exchanges": row.exchanges, "queue": row.queue, "service": row.service,
            "isWrite": row.is_write, "isScoped": row.is_scoped}
        expect(read == compiled, f"{row.key}: operations.py reads {read}, and Swift {compiled}")
    # A Swift enumeration of constants cannot list them, so its source is read.
    source = (REPOSITORY / "Shared/ServiceMessages/Requests/Header.swift").read_text()
    headers = {key for _, node in nodes(schemas) if isinstance(node, dict) for key in node.get("properties", {})
               if key.startswith("zonda-")}
    # `zonda-fault` is understood by a service that was told to, in tests.
    same("header", headers, set(re.findall(r'"(zonda-[a-z-]+)"', source)) - {"zonda-fault"})


faults += documents.out_of_date()
is_asyncapi()
hangs_together()
if not faults:
    schemas_are_sound()
    examples_are_true()
    names_what_the_code_has(json.loads(sys.argv[1]))
print(*faults, sep="\n")
sys.exit(1 if faults else 0)
