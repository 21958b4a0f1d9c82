"""Every request that asyncapi.yaml and openapi.yaml document, with examples that have every member a schema names: what the
hostile-input harness (`Tests/EndToEnd/Hostile`) spoils. Prints JSON.

    {"broker": [{"operation", "exchange", "isText", "examples": [{"headers", "properties", "payload"}], "answers"}],
     "gateway": [{"operation", "method", "path", "contentType", "examples": [{"parameters", "payload"}]}]}

`answers` contains examples of successful answers' bodies. `Tests/Pure/OperatorMessages` decodes the requests and answers of
operators' operations. A schema with alternatives gives an example of each, so that each member of each alternative is in
one of them."""
import json
import re
import sys

import openapi_page
from document import Document

# Names that are nobody else's: no example means anything that a client of the same deployment uses.
CONTAINER, USER = "com.example.hostile", "_" + "0" * 31 + "1"
NAMED = {
    "container": CONTAINER, "zonda-container": CONTAINER, "environment": "development", "zonda-environment": "development",
    "database": "private", "zonda-database": "private", "zonda-user": USER, "ownerRecordName": USER,
    "userRecordName": USER, "zoneName": "Hostile", "recordName": "hostile", "recordType": "Hostile", "fieldName": "title",
    # Far away, since a request past its deadline is dropped in silence.
    "zonda-deadline": 4_102_444_800_000,
    "emailAddress": "hostile@example.org", "email": "hostile@example.org", "comparator": "EQUALS",
}
# What the members without a word of their own may be: the first that a schema accepts.
CANDIDATES = [
    "hostile", "Hostile", CONTAINER, USER, "development", "private", "1", "00", "a" * 32, "A" * 43 + "=", "0" * 40, "0" * 64, "aG9zdGlsZQ==",
    "2026-01-01T00:00:00Z", "00-" + "a" * 32 + "-" + "b" * 16 + "-01", "reply.hostile", "http://127.0.0.1:1/hostile",
    "hostile@example.org", "client.hostile", "consumer.hostile",
    0, 1, 2, 10, 1_768_470_000_000, 0.5, True, False, None,
]
MAX_ALTERNATIVES, MAX_DEPTH = 40, 12


class Examples:
    """Examples of a schema with all members or the required ones, in which alternative number `choice` is taken wherever
    there are so many."""

    def __init__(self, follow, choice, is_full):
        self.follow, self.choice, self.is_full, self.alternatives = follow, choice, is_full, 1

    def of(self, schema, name=None, depth=0):
        schema = self.follow(schema)
        if not isinstance(schema, dict) or depth > MAX_DEPTH:
            return {}
        if "const" in schema:
            return schema["const"]
        for word in ("oneOf", "anyOf"):
            if word in schema and not all(set(self.follow(one)) <= {"required", "not"} for one in schema[word]):
                return self.with_alternative(schema, word, name, depth)
        if "enum" in schema:
            self.alternatives = max(self.alternatives, len(schema["enum"]))
            return NAMED[name] if NAMED.get(name) in schema["enum"] else schema["enum"][self.choice % len(schema["enum"])]
        if "allOf" in schema:
            parts = [self.of(part, name, depth) for part in schema["allOf"]]
            own = {key: value for key, value in schema.items() if key != "allOf"}
            if {"properties", "type"} & set(own):
                parts.append(self.of(own, name, depth))
            if all(isinstance(part, dict) for part in parts):
                return {key: value for part in parts for key, value in part.items()}
            return parts[0]
        kind = schema.get("type")
        kind = kind[self.choice % len(kind)] if isinstance(kind, list) else kind
        if kind == "object" or "properties" in schema:
            return self.object(schema, depth)
        if kind == "array":
            one = self.of(schema["items"], name, depth + 1) if "items" in schema else "hostile"
            return [one] * max(1, schema.get("minItems", 0))
        return scalar(schema, kind, name)

    def with_alternative(self, schema, word, name, depth):
        choices = schema[word]
        self.alternatives = max(self.alternatives, len(choices))
        chosen = self.of(choices[self.choice % len(choices)], name, depth)
        own = {key: value for key, value in schema.items() if key != word}
        if isinstance(chosen, dict) and "properties" in own:
            return self.object(own, depth) | chosen
        return chosen

    def object(self, schema, depth):
        value = {key: self.of(part, key, depth + 1) for key, part in schema.get("properties", {}).items()
                 if self.is_full or key in schema.get("required", [])}
        more = schema.get("additionalProperties")
        if isinstance(more, dict) and not value:
            value["title"] = self.of(more, "title", depth + 1)
        return value


def scalar(schema, kind, name):
    kinds = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "null": type(None)}
    named = [NAMED[name]] if name in NAMED else []
    for value in named + CANDIDATES:
        if kind in kinds and (not isinstance(value, kinds[kind]) or (isinstance(value, bool) and kind != "boolean")):
            continue
        if "pattern" in schema and not (isinstance(value, str) and re.search(schema["pattern"], value)):
            continue
        if isinstance(value, (int, float)) and not isinstance(value, bool) and not (
                schema.get("minimum", value) <= value <= schema.get("maximum", value)):
            continue
        if isinstance(value, str) and not (
                schema.get("minLength", 0) <= len(value) <= schema.get("maxLength", len(value))):
            continue
        return value
    return schema.get("default", "hostile")


def of_all(follow, schemas):
    """Examples of several schemas at once, by name: two for each alternative that any of them has."""
    examples, choice, count = [], 0, 1
    while choice < min(count, MAX_ALTERNATIVES):
        for is_full in (True, False):
            example = {}
            for name, schema in schemas.items():
                maker = Examples(follow, choice, is_full)
                example[name] = None if schema is None else maker.of(schema)
                count = max(count, maker.alternatives)
            if example not in examples:
                examples.append(example)
        choice += 1
    return examples


def broker(document):
    for key, channel, binding, _ in document.channels("routingKey"):
        for name in document.message_names(channel["messages"].values()):
            if not name.endswith("Request") or channel["address"] is None:
                continue
            message = document.messages[name]
            is_text = message.get("contentType", "application/json") != "application/json"
            examples = of_all(document.follow, {
                "headers": message["headers"], "properties": message["x-amqp-properties"], "payload": message["payload"]})
            # What the document shows is a request that succeeds, which few of those that are made up do.
            for shown in message.get("examples", []):
                examples.append(examples[0] | {"payload": shown["payload"]})
            reply = document.messages.get(f"{key}Reply", {"payload": None})
            answers = [example["payload"] for example in of_all(document.follow, {"payload": reply["payload"]})]
            yield {"operation": channel["address"], "exchange": binding["exchange"]["name"], "isText": is_text,
                   "examples": examples, "answers": answers}


def gateway(tree):
    def follow(node):
        while isinstance(node, dict) and "$ref" in node:
            reference, node = node["$ref"], tree
            for key in reference.removeprefix("#/").split("/"):
                node = node[key]
        return node

    for path, item in tree["paths"].items():
        for method in ("get", "post", "put", "delete", "options", "head"):
            if method not in item:
                continue
            operation = item[method]
            parameters = [follow(one) for one in item.get("parameters", []) + operation.get("parameters", [])]
            content = follow(operation.get("requestBody", {})).get("content", {})
            kind, body = next(iter(content.items()), (None, {}))
            schemas = {f"{one['in']} {one['name']}": named(one) for one in parameters}
            examples = []
            for example in of_all(follow, schemas | {"payload": body.get("schema")}):
                payload = example.pop("payload")
                examples.append({"parameters": example, "payload": payload})
            if "example" in body:
                examples.append(examples[0] | {"payload": body["example"]})
            yield {"operation": operation["operationId"], "method": method.upper(), "path": path, "contentType": kind,
                   "examples": examples}


def named(parameter):
    """A parameter's schema; a path's parts have the values of the same names elsewhere."""
    if parameter["in"] == "path" and parameter["name"] in NAMED:
        return {"const": NAMED[parameter["name"]]}
    return parameter.get("schema", {"type": "string"})


def main():
    document = Document()
    requests = {"broker": list(broker(document)), "gateway": list(gateway(openapi_page.document()))}
    json.dump(requests, sys.stdout)


main()
