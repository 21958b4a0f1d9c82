"""Checks deploy/docs/openapi.yaml: that it is valid OpenAPI and consistent, that it names exactly the endpoints of the code,
that it agrees with asyncapi.yaml, and that the gateway serves it, unchanged and as a page."""
import hashlib
import json
import sys

import jsonschema

import documents
import openapi_page
from document import Document

DATABASE, DEVICE = "/database/1/{container}/{environment}/{database}/", "/device/1/{container}/{environment}/"
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
tree = openapi_page.document()
faults = []


def expect(condition, fault):
    if not condition:
        faults.append(fault)


def same(what, documented, actual):
    documented, actual = set(documented), set(actual)
    for name in sorted(documented - actual):
        faults.append(f"{what} {name} is documented, but does not exist")
    for name in sorted(actual - documented):
        faults.append(f"{what} {name} is not documented")


def nodes(node, path="#"):
    yield path, node
    children = node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ()
    for key, child in children:
        yield from nodes(child, f"{path}/{key}")


def follow(node):
    while isinstance(node, dict) and "$ref" in node:
        reference, node = node["$ref"], tree
        for key in reference.removeprefix("#/").split("/"):
            node = node[key]
    return node


def operations():
    for path, item in tree["paths"].items():
        for method in METHODS:
            if method in item:
                yield path, method, item, item[method]


def hangs_together():
    used, ids = set(), []
    for path, node in nodes(tree):
        if not isinstance(node, dict):
            continue
        if "$ref" in node:
            used.add(node["$ref"])
            expect(len(node) == 1, f"{path}: keys beside a $ref are ignored")
            try:
                follow(node)
            except KeyError:
                faults.append(f"{path}: {node['$ref']} does not exist")
        # A comma in an unquoted description turns the rest of it into keys.
        expect(all(node[key] is not None for key in node), f"{path}: a key without a value")
    for path, method, item, operation in operations():
        ids.append(operation["operationId"])
        used |= {f"#/components/securitySchemes/{name}" for one in operation["security"] for name in one}
        expect(set(operation["tags"]) <= {tag["name"] for tag in tree["tags"]}, f"{path}: an unknown tag")
        names = {parameter["name"] for parameter in map(follow, item.get("parameters", []))
                 if parameter["in"] == "path"}
        same(f"{path}: parameter", names, {part[1:-1] for part in path.split("/") if part.startswith("{")})
    expect(len(ids) == len(set(ids)), "an operationId occurs twice")
    for kind, components in tree["components"].items():
        for name in components:
            expect(f"#/components/{kind}/{name}" in used, f"components/{kind}/{name} is not used")


def schemas_are_sound():
    for name, schema in tree["components"]["schemas"].items():
        try:
            jsonschema.Draft202012Validator.check_schema(schema)
        except jsonschema.SchemaError as error:
            faults.append(f"schema {name}: {error.message}")
    whole = {"components": tree["components"]}
    for path, method, _, operation in operations():
        content = operation.get("requestBody", {}).get("content", {})
        for media in content.values():
            validator = jsonschema.Draft202012Validator(whole | media["schema"])
            for error in validator.iter_errors(media["example"]):
                faults.append(f"the example of {method} {path}: {error.json_path} {error.message}")


def says_what_the_other_document_says():
    other = Document().tree["components"]["schemas"]
    # An error has the same keys over HTTP and over AMQP.
    expect(tree["components"]["schemas"]["ErrorAnswer"] == other["RequestError"], "ErrorAnswer is not RequestError")


def names_what_the_code_has(code):
    documented = {}
    for path, method, item, _ in operations():
        for prefix in (DATABASE, DEVICE):
            if path.startswith(prefix):
                parameters = {parameter["name"]: parameter["schema"]
                              for parameter in map(follow, item["parameters"])}
                database = parameters.get("database", {"enum": []})
                databases = [database["const"]] if "const" in database else database["enum"]
                endpoint = documented.setdefault(path.removeprefix(prefix), {"get": False, "databases": databases})
                endpoint["get"] |= method == "get"
    same("endpoint", documented, code["endpoints"])
    for name, endpoint in code["endpoints"].items():
        found = documented.get(name)
        if found:
            expect(found["get"] == endpoint["get"], f"{name}: GET is documented but not accepted, or the reverse")
            # Tokens belong to no database; their documented path has none.
            isScoped = not name.startswith("tokens/")
            expect(not isScoped or set(found["databases"]) == set(endpoint["databases"]), f"{name}: databases")
    for path, _, _, operation in operations():
        if path.startswith((DATABASE, DEVICE)):
            same(f"{path}: status", set(operation["responses"]) - {"200"} | {"409", "412"},
                 set(map(str, code["statuses"])) | {"405"})


faults += documents.out_of_date()
hangs_together()
if not faults:
    schemas_are_sound()
    says_what_the_other_document_says()
    code = json.loads(sys.argv[1])
    names_what_the_code_has(code)
    for path, text in (("/openapi.yaml", openapi_page.DOCUMENT.read_text()), ("/docs", openapi_page.PAGE.read_text())):
        expect(code["served"][path] == hashlib.sha256(text.encode()).hexdigest(),
               f"the gateway serves an older {path}: build it")
print(*faults, sep="\n")
sys.exit(1 if faults else 0)
