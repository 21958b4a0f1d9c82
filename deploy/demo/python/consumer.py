"""Prints what changes in a record zone: python consumer.py ZONE [--name NAME] [--count N] [--timeout SECONDS]

Whoever binds a queue to a zone's routing key on the exchange `zonda.notifications` hears of every committed change, at
least once and in the zone's order. Without --name the queue ends with the connection; with it, it collects meanwhile.
"""
import argparse, hashlib, json, os, sys, time, uuid
import pika


def part(name):
    """A name as part of a routing key, where dots, wildcards and length matter (deploy/docs/messages.md)."""
    encoded = "".join(f"%{byte:02X}" if byte <= 0x20 or byte >= 0x7F or byte in b".*#%~" else chr(byte)
                      for byte in name.encode())
    return encoded if len(encoded) <= 40 else "~" + hashlib.sha256(name.encode()).hexdigest()[:32]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("zone")
    parser.add_argument("--name", help="of a durable queue of one's own")
    parser.add_argument("--count", type=int, default=0, help="ends after so many notifications")
    parser.add_argument("--timeout", type=float, default=1e9, help="ends after so many seconds")
    arguments = parser.parse_args()
    container, environment, scope, user = (
        os.environ["ZONDA_" + name] for name in ("CONTAINER", "ENVIRONMENT", "DATABASE", "USER"))
    owner = "_public" if scope == "public" else user
    key = ".".join(["zone", *map(part, [container, environment, scope, owner, arguments.zone])])

    channel = pika.BlockingConnection(pika.URLParameters(os.environ["ZONDA_AMQP_URL"])).channel()
    queue = "notifications." + (arguments.name or str(uuid.uuid4()))  # the broker's rights know consumers by the prefix
    if arguments.name:
        channel.queue_declare(queue, durable=True, arguments={"x-queue-type": "quorum"})
    else:
        channel.queue_declare(queue, exclusive=True)
    channel.queue_bind(queue, "zonda.notifications", key)
    channel.basic_qos(prefetch_count=100)
    print("listening to", arguments.zone, flush=True)

    heard, last, deadline = 0, {}, time.monotonic() + arguments.timeout
    # It gives (None, None, None) when nothing came for a while, so that we can look at the clock.
    for method, _properties, body in channel.consume(queue, inactivity_timeout=0.2):
        if method:
            change = json.loads(body)
            # A zone that was deleted and made again is another incarnation, whose numbers begin anew.
            if change["toSeq"] > last.get(change["incarnation"], 0):
                last[change["incarnation"]] = change["toSeq"]
                heard += 1
                # Which records, never their fields: `changes.zone` with the last syncToken fetches what is new.
                records = [f"{record['change']} {record['recordName']}" for record in change["records"] or []]
                print("heard", change["toSeq"], ", ".join(records) or "of many", flush=True)
            channel.basic_ack(method.delivery_tag)  # only now: what is not acknowledged comes again
        if arguments.count and heard >= arguments.count:
            return
        if time.monotonic() > deadline:
            sys.exit("consumer.py: the time is up")


if __name__ == "__main__":
    main()
