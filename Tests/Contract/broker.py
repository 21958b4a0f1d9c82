"""A client of the stack that also overhears whatever passes through its exchanges."""
import json
import os
import time
import uuid

import pika

DIRECT_REPLY = "amq.rabbitmq.reply-to"
PROPERTIES = ("message_id", "correlation_id", "reply_to", "content_type", "timestamp", "delivery_mode", "user_id",
              "expiration", "type", "app_id", "priority")


class Broker:
    """A connection. Everything runs on the caller's thread: what has come is seen by `wait`."""

    def __init__(self):
        self.connection = pika.BlockingConnection(pika.URLParameters(os.environ["ZONDA_AMQP_URL"]))
        self.asking, self.listening = self.connection.channel(), self.connection.channel()
        self.asking.confirm_delivery()
        self.asking.basic_consume(DIRECT_REPLY, self._answered, auto_ack=True)
        self.answers = []
        # What was overheard: (exchange, routing key, parts).
        self.overheard = []
        # With a trace, which comes back in everything that a request brings about.
        self.headers = {"zonda-version": 1, "traceparent": f"00-{uuid.uuid4().hex}-00f067aa0ba902b7-01"} | {
            "zonda-" + name.lower(): os.environ["ZONDA_" + name]
            for name in ("CONTAINER", "ENVIRONMENT", "DATABASE", "USER")}

    def overhear(self, exchange, routing_keys):
        """Listens to an exchange. A queue of one's own beside the others' takes nothing away from them."""
        queue = self.listening.queue_declare("", exclusive=True).method.queue
        for key in routing_keys:
            self.listening.queue_bind(queue, exchange, key)
        self.listening.basic_consume(queue, lambda _, method, properties, body: self.overheard.append(
            (exchange, method.routing_key, parts(properties, body))), auto_ack=True)

    def publish(self, exchange, key, body, headers=None, **properties):
        """Publishes a body (JSON, unless it is bytes already) and returns its message-id."""
        usual = {"message_id": str(uuid.uuid4()), "content_type": "application/json", "delivery_mode": 2}
        properties = usual | properties
        self.asking.basic_publish(
            exchange, key, body if isinstance(body, bytes) else json.dumps(body).encode(),
            pika.BasicProperties(headers=self.headers if headers is None else headers, **properties))
        return properties["message_id"]

    def ask(self, exchange, key, body, headers=None, **properties):
        """Publishes a request, one at a time, and returns its message-id and the parts of its answer."""
        message_id = self.publish(exchange, key, body, headers, reply_to=DIRECT_REPLY, **properties)
        return message_id, self.wait(f"an answer to {key}", lambda: self.answers.pop() if self.answers else None)

    def wait(self, what, found, limit=30):
        """Lets messages come until `found` returns something, and returns that."""
        deadline = time.monotonic() + limit
        while (result := found()) is None:
            if time.monotonic() > deadline:
                raise TimeoutError(f"waited {limit} s in vain for {what}")
            self.connection.process_data_events(time_limit=1)
        return result

    def wait_for(self, exchange, matches=lambda key, seen: True):
        """Waits for something to be overheard, and returns its parts."""
        return self.wait(f"a message at {exchange}", lambda: next(
            (seen for heard, key, seen in self.overheard if heard == exchange and matches(key, seen)), None))

    def _answered(self, _channel, _method, properties, body):
        self.answers.append(parts(properties, body))


def parts(properties, body):
    """A message's headers, AMQP properties under AMQP's names, and payload."""
    return {
        "headers": properties.headers or {},
        "x-amqp-properties": {name.replace("_", "-"): getattr(properties, name) for name in PROPERTIES
                              if getattr(properties, name) is not None},
        "payload": body,
    }
