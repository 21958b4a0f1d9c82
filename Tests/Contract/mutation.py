"""Messages that are not quite right. A check that lets one of them pass checks nothing."""
from document import PARTS


def mutations(document, name, seen):
    """Yields changed parts of a message that the document must refuse: (what was done, the part, its value).

    Of every part: a required member is missing. Of what Zonda makes, moreover: each object has one member more, and
    each text, number and flag is an array instead; but for headers beside which the broker has put its own."""
    message = document.messages[name]
    for part in PARTS:
        value = document.decode(message, seen[part]) if part == "payload" else seen[part]
        for key in required(document, message[part]):
            yield f"without {key}", part, {other: value[other] for other in value if other != key}
        if name.endswith(("Request", "rejectedMessage")) or not isinstance(value, dict):
            continue
        if any(key.startswith("x-") for key in value):
            continue
        for path, node in nodes(value):
            if isinstance(node, dict):
                yield f"with one more at {path}", part, replaced(value, path, node | {"surprise": True})
            elif not isinstance(node, list):
                yield f"with an array at {path}", part, replaced(value, path, [[]])


def replaced(node, path, value):
    """A copy of a JSON value with another value at a path."""
    if not path:
        return value
    copy = node.copy()
    copy[path[0]] = replaced(node[path[0]], path[1:], value)
    return copy


def required(document, schema):
    """The members that a schema always requires."""
    schema = document.follow(schema)
    return {*schema.get("required", []), *(key for part in schema.get("allOf", []) for key in required(document, part))}


def nodes(node, path=()):
    yield path, node
    for key, child in node.items() if isinstance(node, dict) else enumerate(node) if isinstance(node, list) else ():
        yield from nodes(child, (*path, key))
