"""Makes a record zone and saves three records in it, with nothing but an AMQP library: python producer.py ZONE

Zonda is CloudKit over a message broker. A request is a message whose routing key is the operation and whose body is the
JSON of CloudKit Web Services (deploy/docs/asyncapi.yaml has them all); headers say where and for whom.
"""
import json, os, sys, time, uuid
import pika

zone = sys.argv[1]
headers = {"zonda-" + name.lower(): os.environ["ZONDA_" + name]
           for name in ("CONTAINER", "ENVIRONMENT", "DATABASE", "USER")}
connection = pika.BlockingConnection(pika.URLParameters(os.environ["ZONDA_AMQP_URL"]))
channel = connection.channel()
channel.confirm_delivery()  # basic_publish returns when the broker has the message, and raises when it does not take it
answers = {}


def answered(_channel, _method, properties, body):
    answers[properties.correlation_id] = properties.headers["zonda-status"], json.loads(body)


# The channel that asks is the one that listens: RabbitMQ routes answers to it, no queue has to be declared.
channel.basic_consume("amq.rabbitmq.reply-to", answered, auto_ack=True)


def ask(operation, body):
    """Publishes a request and waits for its answer; ends the program when that, or an item of it, is an error."""
    # The request's identity: sent again with the same one, within 24 hours, a write has no second effect.
    message_id = str(uuid.uuid4())
    channel.basic_publish("zonda.requests", operation, json.dumps(body), pika.BasicProperties(
        message_id=message_id, correlation_id=message_id, reply_to="amq.rabbitmq.reply-to", headers=headers,
        content_type="application/json", delivery_mode=pika.DeliveryMode.Persistent), mandatory=True)
    deadline = time.monotonic() + 30
    while message_id not in answers:
        if time.monotonic() > deadline:
            sys.exit(f"{operation}: no answer within 30 s")
        connection.process_data_events(time_limit=1)
    status, answer = answers.pop(message_id)
    items = answer.get("records") or answer.get("zones") or []
    if errors := [item for item in [answer, *items] if "serverErrorCode" in item]:
        sys.exit(f"{operation}: {status} {errors[0]['serverErrorCode']}, {errors[0]['reason']}")
    return items[0]


made = ask("zones.modify", {"operations": [{"operationType": "create", "zone": {"zoneID": {"zoneName": zone}}}]})
print("zone", made["zoneID"]["zoneName"], flush=True)
for number, title in enumerate(["Buy milk", "Buy bread", "Bake a cake"], start=1):
    saved = ask("records.modify", {"zoneID": {"zoneName": zone}, "operations": [{
        "operationType": "forceReplace",  # whatever the server has; `update` with a recordChangeTag would look first
        "record": {"recordName": f"note-{number}", "recordType": "Note", "fields": {"title": {"value": title}}}}]})
    print("saved", saved["recordName"], saved["fields"]["title"]["value"], saved["recordChangeTag"], flush=True)
connection.close()
