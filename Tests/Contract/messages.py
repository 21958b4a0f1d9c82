"""Real messages of a running stack against the document: every message is a documented one, every documented one is
seen, and a message that was changed afterwards is refused."""
import collections
import json
import sys

from broker import Broker
from document import Document
from mutation import mutations
from scenario import Scenario

document = Document()
seen = collections.defaultdict(list)
faults = []


def judge(where, names, parts, is_malformed=False):
    """A message has to be one of those that may be seen where it was seen; a malformed one none of them."""
    found = {name: document.faults(name, parts) for name in names}
    good = [name for name in found if not found[name]]
    if is_malformed:
        faults.extend(f"{where}: {parts} is malformed, and not refused" for _ in good)
    elif len(good) == 1:
        seen[good[0]].append(parts)
    else:
        faults.append(f"{where}: {parts['headers']} {parts['payload'][:2000]} is {good or found or 'not documented'}")


def answered(operation, parts):
    operations = document.tree["operations"]
    named = [name for name, channel in document.tree["channels"].items() if channel["address"] == operation]
    reply = operations[named[0] if named else "answerUnknown"]["reply"]
    judge(f"answer to {operation}", document.message_names(reply["messages"]), parts)


broker = Broker()
addresses = collections.defaultdict(set)
for _, channel, binding, _ in document.channels("routingKey"):
    exchange, address = binding["exchange"], channel["address"] or ""
    addresses[exchange["name"]].add("#" if exchange["type"] == "topic" else address.replace("{seconds}", sys.argv[1]))
for exchange, keys in addresses.items():
    broker.overhear(exchange, keys)

scenario = Scenario(broker, document, answered)
scenario.run()

for exchange, key, parts in broker.overheard:
    identity = parts["x-amqp-properties"].get("message-id")
    # A write without an identity is what such a write lacks.
    malformed = identity in scenario.malformed or (identity is None and key == "zones.modify")
    names = list(dict.fromkeys(document.messages_at(exchange, key)))
    # Dead letters may be anything that was sent.
    judge(f"{exchange} {key}", names, parts, malformed and exchange != "zonda.dead")

# What a dead letter says about its error is the answer that nobody waited for.
answers = [message["payload"]["$ref"] for name, message in document.messages.items() if name.endswith("Reply")]
for parts in seen["refusedRequest"]:
    error = json.loads(parts["headers"]["zonda-dead-error"])
    if not any(document.validator(answer).is_valid(error) for answer in answers):
        faults.append(f"zonda-dead-error: {error} is no answer")

faults += [f"no {name} was seen" for name in document.messages if name not in seen]
refused = 0
for name, messages in seen.items():
    # The longest of a kind have most in them.
    for parts in sorted(messages, key=lambda parts: len(parts["payload"]))[-3:]:
        for what, part, value in mutations(document, name, parts):
            refused += 1
            if document.validator(document.messages[name][part]["$ref"]).is_valid(value):
                faults.append(f"{name}: {part} {what} is not refused: {value}")

print(*faults, sep="\n")
print(f"{sum(map(len, seen.values()))} messages of {len(seen)} kinds were looked at, and {refused} changed ones")
sys.exit(1 if faults else 0)
