"""The derived parts of deploy/docs/asyncapi.yaml and of deploy/docs/messages.md; `check documents` writes them.

Written by hand are the channel of an operation (its summary), its request and reply message (payload and examples),
and the schemas of the payloads. The rest follows from their names and from the table of operations: the channel's
address, binding and message; the names and traits of the messages; the answer among the replies; the bindings and
messages of its queue, and the bindings of the dead-letter queue; the operation with its reply; and its place in the
table of requests in messages.md."""
import re

from document import Source
from operations import operations

REQUESTS, ADMIN, INTERNAL, CONSUMERS = "zonda.requests", "zonda.admin", "zonda.internal", "zonda.consumers"
# The exchanges of requests.
EXCHANGES = (REQUESTS, ADMIN, INTERNAL, CONSUMERS)
DEAD = "zonda.dead"
SERVICES = {"gateway": "gateway"}
# The rows of the table of requests in messages.md, behind its head.
TABLE = re.compile(r"(?<=\| exchange \| routing key \| queue \| answered by \|\n\| --- \| --- \| --- \| --- \|\n)"
                   r"(\|.*\n)+")


class Completion:
    """Completes the document. `faults` names the hand-written parts that are missing."""

    def __init__(self, text):
        self.source = Source(text)
        self.tree = self.source.tree
        self.table, self.faults = operations(), []
        self.messages = self.tree["components"]["messages"]
        self.missing("channels", self.table, self.tree["channels"])
        self.missing("components/messages", [f"{name}Request" for name in self.table], self.messages)
        self.missing("components/messages", [f"{name}Reply" for name in self.table], self.messages)
        # The document's order: that of the channels.
        self.rows = [self.table[name] for name in self.tree["channels"] if name in self.table]

    def missing(self, where, names, present):
        self.faults += [f"{where} has no {name}" for name in names if name not in present]

    def text(self):
        """The completed text."""
        for row in self.rows:
            self.channel(row)
            self.message(f"{row.name}Request", f"{row.key} request", request_trait(row))
            self.message(f"{row.name}Reply", f"{row.key} answer", "success")
        self.replies()
        for name, channel in self.tree["channels"].items():
            if channel.get("bindings", {}).get("amqp", {}).get("is") == "queue":
                self.queue(name, channel)
        self.operations()
        return self.source.text()

    def channel(self, row):
        self.rewrite(["channels", row.name], [f"    address: {row.key}\n"], [
            f"    bindings: {ref('components/channelBindings', row.exchanges[0].removeprefix('zonda.'))}\n",
            "    messages:\n", f"      request: {ref('components/messages', row.name + 'Request')}\n"])

    def message(self, name, title, trait):
        if name in self.messages:
            self.rewrite(["components", "messages", name], [
                f"      name: {title}\n", f"      traits: [{ref('components/messageTraits', trait)}]\n"], [])

    def replies(self):
        others = {name: message for name, message in self.tree["channels"]["replies"]["messages"].items()
                  if self.has_trait(message, "failure")}
        self.replace(["channels", "replies", "messages"], [
            "    messages:\n", *entries((row.name, f"{row.name}Reply") for row in self.rows), *kept(others)])

    def queue(self, name, channel):
        """Completes a queue of requests, a queue in which requests wait, or a dead-letter queue."""
        queue = channel["address"]
        own = [row for row in self.rows if row.queue == queue]
        if own:
            service = own[0].service
            also = [row for row in self.rows if queue == f"{service}.internal" and INTERNAL in row.exchanges[1:]
                    and row.service == service]
            bindings = [(row.exchanges[0], row.key) for row in own] + [(INTERNAL, row.key) for row in also]
            self.bindings(name, channel, bindings, EXCHANGES)
            self.requests(name, channel, own + also)
        elif waiting := [row for row in self.rows if queue.startswith(f"{row.queue}.wait.")]:
            self.requests(name, channel, waiting)
        elif dead := [row for row in self.rows if queue == f"{row.service}.dead"]:
            self.bindings(name, channel, [(DEAD, row.key) for row in dead], {DEAD})

    def bindings(self, name, channel, derived, exchanges):
        others = [(one["exchange"], one["routingKey"]) for one in channel["x-bindings"]
                  if one["exchange"] not in exchanges]
        self.replace(["channels", name, "x-bindings"], ["    x-bindings:\n"] + [
            f"      - {{exchange: {exchange}, routingKey: {key or repr(key)}}}\n"
            for exchange, key in derived + others])

    def requests(self, name, channel, rows):
        others = {key: message for key, message in channel["messages"].items() if self.has_trait(message, "anyRequest")}
        self.replace(["channels", name, "messages"], [
            "    messages:\n", *entries((row.name, f"{row.name}Request") for row in rows), *kept(others)])

    def operations(self):
        """Replaces the operations of the table, which stand together, by all of the table."""
        there = [name for name, operation in self.tree["operations"].items()
                 if operation["channel"] == {"$ref": f"#/channels/{name}"}]
        lines = [line for row in self.rows for line in self.operation(row, self.tree["operations"].get(row.name))]
        spans = [self.source.span("operations", name) for name in there]
        self.source.replace(spans[0][0], spans[-1][1], lines)

    def operation(self, row, there):
        answers = [reference["$ref"].rsplit("/", 1)[1] for reference in there["reply"]["messages"]] if there else []
        more = [answer for answer in answers if answer not in (row.name, "error")]
        return [
            f"  {row.name}:\n", "    action: receive\n", f"    channel: {ref('channels', row.name)}\n",
            f"    tags: [{{name: {SERVICES.get(row.service, row.service + ' service')}}}]\n",
            f"    messages: [{ref(f'channels/{row.name}/messages', 'request')}]\n",
            "    reply:\n", f"      address: {ref('components/replyAddresses', 'replyTo')}\n",
            f"      channel: {ref('channels', 'replies')}\n", "      messages:\n",
            *(f"        - {ref('channels/replies/messages', answer)}\n" for answer in (row.name, *more, "error"))]

    def has_trait(self, reference, trait):
        message = self.messages.get(reference["$ref"].rsplit("/", 1)[1], {})
        return {"$ref": f"#/components/messageTraits/{trait}"} in message.get("traits", [])

    def rewrite(self, path, before, after):
        """Replaces the derived members of a mapping: the lines `before` and `after` its hand-written ones."""
        derived = {line.split(":")[0].strip() for line in before + after if re.match(rf" {{{2 * len(path)}}}\w", line)}
        by_hand = []
        for key in self.value(path):
            if key not in derived:
                by_hand += self.source.part(*path, key)
        start, end = self.source.span(*path)
        self.source.replace(start + 1, end, before + by_hand + after)

    def replace(self, path, lines):
        self.source.replace(*self.source.span(*path), lines)

    def value(self, path):
        node = self.tree
        for key in path:
            node = node[key]
        return node


def request_trait(row):
    if row.is_scoped:
        return "userWrite" if row.is_write else "userRead"
    if row.exchanges[0] == ADMIN:
        return "operatorWrite" if row.is_write else "operatorRead"
    return "consumerRead" if row.exchanges[0] == CONSUMERS else "serviceRequest"


def ref(path, name):
    return f"{{$ref: '#/{path}/{name}'}}"


def entries(pairs):
    return [f"      {name}: {ref('components/messages', message)}\n" for name, message in pairs]


def kept(references):
    return [f"      {name}: {{$ref: '{reference['$ref']}'}}\n" for name, reference in references.items()]


def page(text, tree):
    """Returns messages.md with the table of requests as the document has them."""
    rows = []
    for channel in tree["channels"].values():
        binding = channel.get("bindings", {})
        bindings = [one for one in channel.get("x-bindings", []) if one["exchange"] in EXCHANGES]
        if not bindings:
            continue
        exchange = bindings[0]["exchange"]
        kind = binding["x-arguments"].get("x-queue-type", "classic")
        service = channel["address"].split(".")[0]
        cells = [
            " ".join(f"`{one['routingKey']}`" for one in bindings), f"`{channel['address']}` ({kind})",
            SERVICES.get(service, f"{service} service")]
        rows.append((exchange, " | ".join(cells) + " |\n"))
    lines = []
    for exchange in EXCHANGES:
        cells = [cell for own, cell in rows if own == exchange]
        lines += [f"| {f'`{exchange}` ' if cell is cells[0] else ''}| {cell}" for cell in cells]
    return TABLE.sub(lambda _: "".join(lines), text)
