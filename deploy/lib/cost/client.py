"""A client that has one request in progress at a time, over AMQP or HTTP."""

import http.client
import json
import time
import urllib.parse
import uuid

import pika

DIRECT_REPLY = "amq.rabbitmq.reply-to"
LIMIT_SECONDS = 60
ENVIRONMENT = "development"


class RequestFailed(Exception):
    """A service answered a request with an error, or not at all."""


class Client:
    """One connection to the broker: requests in a container as one user, and the notifications of that container."""

    def __init__(self, url, container, user, database="private"):
        self.container, self.user, self.replies, self.notified, self.sent = container, user, {}, 0, 0
        self.headers = {
            "zonda-version": 1, "zonda-container": container, "zonda-environment": ENVIRONMENT,
            "zonda-database": database, "zonda-user": user,
        }
        self.connection = pika.BlockingConnection(pika.URLParameters(url))
        self.channel = self.connection.channel()
        self.channel.basic_consume(DIRECT_REPLY, self._answered, auto_ack=True)

    def _answered(self, _channel, _method, properties, body):
        self.replies[properties.correlation_id] = properties.headers["zonda-status"], body

    def listen(self, key):
        """Counts the notifications whose routing key matches, in `notified`."""
        queue = f"notifications.{uuid.uuid4()}"
        self.channel.queue_declare(queue, exclusive=True)
        self.channel.queue_bind(queue, "zonda.notifications", key)
        self.channel.basic_consume(queue, self._notified, auto_ack=True)

    def _notified(self, *_message):
        self.notified += 1

    def wait(self, condition, what):
        end = time.monotonic() + LIMIT_SECONDS
        while not condition():
            if time.monotonic() > end:
                raise RequestFailed(f"{what} did not arrive within {LIMIT_SECONDS} s")
            self.connection.process_data_events(time_limit=1)

    def wait_for_notifications(self, count):
        self.wait(lambda: self.notified >= count, f"notification {count}")

    def send(self, operation, body, exchange="zonda.requests"):
        """Publishes a request and returns its id. The ids of two runs have the same length."""
        self.sent += 1
        identity = str(uuid.uuid4())
        self.channel.basic_publish(exchange, operation, json.dumps(body, separators=(",", ":")), pika.BasicProperties(
            message_id=identity, correlation_id=identity, reply_to=DIRECT_REPLY, delivery_mode=2,
            content_type="application/json", headers=self.headers if exchange == "zonda.requests" else {
                "zonda-version": 1}), mandatory=True)
        return identity

    def receive(self, identity):
        """The answer to the request with this id."""
        self.wait(lambda: identity in self.replies, "an answer")
        return checked(*self.replies.pop(identity))

    def ask(self, operation, body, exchange="zonda.requests"):
        return self.receive(self.send(operation, body, exchange))

    def close(self):
        self.connection.close()


def checked(status, body):
    """The parsed answer; raises RequestFailed for an error of the whole request or of one of its items."""
    if status != 200 or b'"serverErrorCode"' in body:
        raise RequestFailed(f"{status}: {body[:1000].decode(errors='replace')}")
    return json.loads(body) if body else {}


class WholeRequests(http.client.HTTPConnection):
    """Sends the head and the body of a request together: in two segments, a server may read them in one step or two."""

    def connect(self):
        super().connect()
        self.unsent = b""

    def send(self, data):
        if self.sock is None:
            self.connect()
        self.unsent += data

    def request_whole(self, method, target, body=None, headers=None):
        self.request(method, target, body=body, headers=headers or {})
        self.sock.sendall(self.unsent)
        self.unsent = b""
        response = self.getresponse()
        answer = response.read()
        if response.status != 200:
            raise RequestFailed(f"{method} {target}: {response.status}: {answer[:1000].decode(errors='replace')}")
        return answer


class HTTPClient:
    """One connection to an HTTP server, kept open."""

    def __init__(self, url):
        self.connection = WholeRequests(urllib.parse.urlsplit(url).netloc, timeout=LIMIT_SECONDS)

    def get(self, url):
        return self.connection.request_whole("GET", target(url))

    def put(self, url, content):
        return json.loads(self.connection.request_whole("PUT", target(url), content))

    def post(self, path, body):
        content = json.dumps(body, separators=(",", ":")).encode()
        return checked(200, self.connection.request_whole(
            "POST", path, content, {"Content-Type": "application/json"}))

    def close(self):
        self.connection.close()


def target(url):
    parts = urllib.parse.urlsplit(url)
    return parts.path + (f"?{parts.query}" if parts.query else "")
