"""The table of operations, read from the source of Shared/ServiceMessages. `structure.py` compares it with the compiled
table."""
import re
from typing import NamedTuple

from document import REPOSITORY

SOURCES = REPOSITORY / "Shared/ServiceMessages"


class Operation(NamedTuple):
    """A row of the table."""
    # The name of its case, and of its channel in asyncapi.yaml.
    name: str
    # The routing key.
    key: str
    queue: str
    service: str
    # The exchanges that may deliver it; its own is the first.
    exchanges: list
    is_write: bool
    is_scoped: bool


def operations():
    """The table's rows by name, in the table's order. Raises ValueError if the source is not written as expected."""
    constants = {
        kind: dict(re.findall(r'static let `?(\w+)`? = "([^"]+)"', text))
        for kind, text in re.findall(r"enum (Exchange|Queue) \{(.*?)^\}", _source("Broker/Exchange"), re.S | re.M)}
    queues = {
        name: (constants["Queue"][queue], service, constants["Exchange"][exchange])
        for name, queue, service, exchange in re.findall(
            r"case \.(\w+): \(Queue\.(\w+), \.(\w+), Exchange\.(\w+)\)", _source("Requests/RequestQueue"))}
    source = _source("Requests/Operation")
    keys = dict(re.findall(r'case (\w+) = "([\w.]+)"', source))
    rows = re.findall(r"case \.(\w+):\s+\.(read|write)\(\s*\.(\w+)([^)]*)\)", source)
    if [name for name, *_ in rows] != list(keys):
        different = sorted(keys.keys() ^ {name for name, *_ in rows})
        raise ValueError(f"Operation.swift: cases and rows differ, or have another order: {different}")
    table = {}
    for name, kind, queue, more in rows:
        queue, service, exchange = queues[queue]
        exchanges = [exchange] + ([constants["Exchange"]["internal"]] if "alsoBetweenServices: true" in more else [])
        is_scoped = exchange == constants["Exchange"]["requests"] or "isScoped: true" in more
        table[name] = Operation(name, keys[name], queue, service, exchanges, kind == "write", is_scoped)
    return table


def _source(name):
    return (SOURCES / f"{name}.swift").read_text()
