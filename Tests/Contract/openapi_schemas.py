"""The schemas that openapi.yaml shares with asyncapi.yaml: the gateway forwards bodies unchanged. They are written in
asyncapi.yaml; openapi.yaml has copies of those that it refers to. `check documents` writes them."""
import re

from document import Source

# A tombstone has `deletedRecordType` over HTTP, and `recordType` over AMQP. Only over HTTP do answers about records have
# a `syncToken`, if `getCurrentSyncToken` requests it.
DIFFERENT = {"Tombstone", "ModifyRecordsAnswer", "LookupRecordsAnswer", "QueryRecordsAnswer"}
SCHEMAS = ("components", "schemas")
REFERENCE = re.compile(r"#/components/schemas/(\w+)")


def completed(text, messages):
    """Returns the text of openapi.yaml with current copies of the schemas; new copies are added at the end."""
    source, other = Source(text), Source(messages)
    own, shared = source.tree["components"]["schemas"], other.tree["components"]["schemas"]
    for name in own:
        if name in shared and name not in DIFFERENT:
            source.replace(*source.span(*SCHEMAS, name), other.part(*SCHEMAS, name))
    _, end = source.span(*SCHEMAS)
    source.replace(end, end, [line for name in missing(text, own, shared, other)
                              for line in other.part(*SCHEMAS, name)])
    return source.text()


def missing(text, own, shared, other):
    """Returns the names of the schemas that are referred to and missing, in the order of asyncapi.yaml."""
    found, asked = set(), set(REFERENCE.findall(text))
    while asked:
        name = asked.pop()
        if name in shared and name not in DIFFERENT and name not in found:
            found.add(name)
            asked |= set(REFERENCE.findall("".join(other.part(*SCHEMAS, name))))
    return [name for name in shared if name in found and name not in own]
