"""What the broker has, in both directions: exchanges, queues, their arguments, bindings.

The folder holds what `rabbitmqctl list_… --formatter json` has said: exchanges.json, queues.json, bindings.json.
"""
import itertools
import json
import pathlib
import re
import sys

from document import Document

document = Document()
folder = pathlib.Path(sys.argv[1])
faults = []


def listed(name):
    return json.loads((folder / f"{name}.json").read_text())


def arguments(listed):
    """As the broker lists them, in triples with the type in the middle. Compared as text."""
    return {name: str(value) for name, _type, value in listed}


def texts(mapping, values):
    """Documented arguments with the parameters of a queue's name filled in."""
    return {key: str(value).format(**values) for key, value in mapping.items()}


def compare(what, documented, actual):
    for name in sorted(documented.keys() | actual.keys()):
        if documented.get(name) != actual.get(name):
            faults.append(f"{what} {name}: documented {documented.get(name)}, there {actual.get(name)}")


def queues(channel):
    """The queues that a channel stands for, each with the parameters in its name: all those it can name, or, where it
    does not say which values there may be, those that are there."""
    address = channel["address"]
    values = {name: document.follow(parameter).get("enum") for name, parameter in channel.get("parameters", {}).items()}
    if all(values.values()):
        chosen = [dict(zip(values, choice)) for choice in itertools.product(*values.values())]
    else:
        matches = [re.fullmatch(document.expand(channel, address), row["name"]) for row in listed("queues")]
        chosen = [dict(zip(values, match.groups())) for match in matches if match]
    if not chosen:
        faults.append(f"queue {address} is documented, but not there")
    return [(address.format(**choice), choice) for choice in chosen]


exchanges = {binding["exchange"]["name"]: (binding["exchange"], given)
             for _, _, binding, given in document.channels("routingKey")}
compare("exchange",
        {name: (exchange["type"], exchange["durable"], exchange["autoDelete"], texts(given, {}))
         for name, (exchange, given) in exchanges.items()},
        {row["name"]: (row["type"], row["durable"], row["auto_delete"], arguments(row["arguments"]))
         for row in listed("exchanges") if row["name"] and not row["name"].startswith("amq.")})

documented, bound = {}, set()
for _, channel, binding, given in document.channels("queue"):
    for name, values in queues(channel):
        documented[name] = (binding["queue"]["durable"], binding["queue"]["autoDelete"], texts(given, values))
        bound |= {(source["exchange"], name, source["routingKey"].format(**values)) for source in channel["x-bindings"]}
compare("queue", documented,
        {row["name"]: (row["durable"], row["auto_delete"], arguments(row["arguments"])) for row in listed("queues")})
# Every queue is bound to the default exchange, which has no name.
there = {(row["source_name"], row["destination_name"], row["routing_key"])
         for row in listed("bindings") if row["source_name"]}
faults += [f"binding {binding} is documented, but not there" for binding in sorted(bound - there)]
faults += [f"binding {binding} is not documented" for binding in sorted(there - bound)]

print(*faults, sep="\n")
sys.exit(1 if faults else 0)
