"""deploy/docs/asyncapi.yaml, as the checks read it."""
import functools
import json
import pathlib
import re

import jsonschema
import yaml

REPOSITORY = pathlib.Path(__file__).resolve().parents[2]
PATH = REPOSITORY / "deploy/docs/asyncapi.yaml"
PARTS = ("headers", "x-amqp-properties", "payload")


class Source:
    """A YAML document as text whose parts can be replaced."""

    def __init__(self, text):
        self.lines = text.splitlines(keepends=True)
        self.tree = yaml.load(text, yaml.CSafeLoader)
        self._root = yaml.compose(text, yaml.CSafeLoader)
        self._edits = []

    def span(self, *path):
        """Returns the range of lines of a key and its value, without the blank lines and comments that follow."""
        node = self._root
        for name in path:
            key, node = next((key, value) for key, value in node.value if key.value == name)
        # A block ends where the next token begins.
        is_block = not isinstance(node, yaml.ScalarNode) and not node.flow_style
        end = node.end_mark.line + (0 if is_block or node.end_mark.column == 0 else 1)
        while re.match(r"\s*(#.*)?$", self.lines[end - 1]):
            end -= 1
        return key.start_mark.line, end

    def part(self, *path):
        """Returns the lines of a key and its value."""
        start, end = self.span(*path)
        return self.lines[start:end]

    def replace(self, start, end, lines):
        """Replaces a range of lines in the result of `text`."""
        self._edits.append((start, end, lines))

    def text(self):
        """Returns the text with all replacements."""
        lines = self.lines[:]
        for start, end, others in sorted(self._edits, key=lambda edit: edit[:2], reverse=True):
            lines[start:end] = others
        return "".join(lines)


class Document:
    """The document with its references followed and its message traits applied."""

    def __init__(self):
        self.tree = yaml.load(PATH.read_text(), yaml.CSafeLoader)
        self.messages = {name: self._message(name) for name in self.tree["components"]["messages"]}

    def follow(self, node):
        """What a reference means; anything else is what it is."""
        while isinstance(node, dict) and "$ref" in node:
            node = self.step(node)
        return node

    def step(self, reference):
        """One reference further."""
        node = self.tree
        for key in reference["$ref"].removeprefix("#/").split("/"):
            node = node[key]
        return node

    def _message(self, name):
        own = self.tree["components"]["messages"][name]
        message = {}
        for trait in own.get("traits", []):
            message |= self.follow(trait)
        return message | own

    def message_names(self, references):
        """The names in `components/messages` of references to a channel's messages, or of a channel's messages."""
        names = []
        for reference in references:
            # An operation refers to its channel's message, and that to the component.
            while not reference["$ref"].startswith("#/components/"):
                reference = self.step(reference)
            names.append(reference["$ref"].rsplit("/", 1)[1])
        return names

    def channels(self, kind):
        """Channels by what they are, `routingKey` or `queue`: (name, channel, the AMQP binding, its arguments)."""
        for name, channel in self.tree["channels"].items():
            bindings = self.follow(channel.get("bindings", {}))
            if bindings.get("amqp", {}).get("is") == kind:
                yield name, channel, bindings["amqp"], bindings.get("x-arguments", {})

    def expand(self, channel, text):
        """A text with `{parameters}` as regular expression: of a parameter's values, or of anything."""
        def pattern(match):
            parameter = self.follow(channel["parameters"][match[1]])
            return "(" + "|".join(map(re.escape, parameter["enum"])) + ")" if "enum" in parameter else "(.+)"
        return re.sub(r"\\{(\w+)\\}", pattern, re.escape(text))

    def messages_at(self, exchange, routing_key):
        """The names of the messages that may be seen at an exchange under a routing key."""
        for _, channel, binding, _ in self.channels("routingKey"):
            address = channel["address"]
            if binding["exchange"]["name"] == exchange and (
                    address is None or re.fullmatch(self.expand(channel, address), routing_key)):
                yield from self.message_names(channel["messages"].values())

    @functools.cache
    def validator(self, reference):
        """A validator of the schema to which a reference of this document leads."""
        return jsonschema.Draft7Validator(self.whole({"$ref": reference}))

    def whole(self, schema):
        """A schema with what it refers to in the references' place. (They lead in no circle, and the validator is ten
        times as slow when it has to follow them.)"""
        schema = self.follow(schema)
        if isinstance(schema, dict):
            return {key: self.whole(value) for key, value in schema.items()}
        return [self.whole(value) for value in schema] if isinstance(schema, list) else schema

    def faults(self, name, seen):
        """What keeps a message (a dictionary of PARTS, the payload as bytes) from being the one of that name."""
        message = self.messages[name]
        faults = []
        for part in PARTS:
            value = seen[part]
            if part == "payload":
                try:
                    value = self.decode(message, value)
                except ValueError as error:
                    faults.append(f"payload: {error}")
                    continue
            for error in map(deepest_error, self.validator(message[part]["$ref"]).iter_errors(value)):
                faults.append(f"{part}{error.json_path[1:]}: {error.message}")
        return faults

    def decode(self, message, body):
        """A payload as the document's schemas see it: JSON, or else the bytes as text."""
        kind = message.get("contentType", self.tree["defaultContentType"])
        return json.loads(body) if kind == "application/json" else body.decode("latin-1")


def deepest_error(error):
    """Of the errors of all alternatives the one that says most: the one furthest down."""
    while error.context:
        error = max(error.context, key=lambda inner: len(inner.absolute_path))
    return error
