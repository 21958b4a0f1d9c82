"""What is measured: each row does one kind of operation a fixed number of times.

A row prepares a container of its own, and `step(number)` does one or several operations. Unless it says otherwise, the
next step begins when the former one has its answers and its notifications, so that a batch is always of the same size.
"""

import os
import subprocess
import time
import urllib.parse

from client import ENVIRONMENT, Client, HTTPClient

ZONE = "zone"
RECORD_BYTES = 500
FILL_COUNT = 2000
FILL_BATCH = 200
PAGE_COUNT = 200
ASSET_BYTES = 100_000
GUEST = "_" + "1" * 32
MOST_IN_PROGRESS = 64
TEXT = "the quick brown fox jumps over the lazy dog " * 12


def save_operation(name, number):
    """One save of RECORD_BYTES bytes."""
    operation = {"operationType": "forceReplace", "record": {
        "recordName": name, "recordType": "Load",
        "fields": {"n": {"value": number, "type": "INT64"}, "text": {"value": "", "type": "STRING"}}}}
    used = 160 + len(name) + len(str(number))
    operation["record"]["fields"]["text"]["value"] = TEXT[:RECORD_BYTES - used]
    return operation


def below(operation, parent):
    """The same save of a record with this parent."""
    return {**operation, "record": {**operation["record"], "parent": {"recordName": parent}}}


def modify_body(operations):
    return {"zoneID": {"zoneName": ZONE}, "desiredKeys": [], "operations": operations}


def lookup_body(name):
    return {"zoneID": {"zoneName": ZONE}, "records": [{"recordName": name}]}


class Row:
    """A kind of operation. `steps` are measured after `warm_up_steps`; each does `operations_per_step`."""

    title = ""
    steps, warm_up_steps, operations_per_step = 1000, 300, 1
    # Whether the counts repeat so well that a change is reported. With many requests in progress they depend on how
    # many of them a service finds waiting.
    is_held = True

    def __init__(self, name):
        self.name = name
        self.container = f"iCloud.org.example.{name.replace('_', '')}"
        self.user = "_" + "0" * 32
        self.client = None

    @property
    def operations(self):
        return self.steps * self.operations_per_step

    def open(self):
        self.client = Client(os.environ["ZONDA_AMQP_URL"], self.container, self.user)
        self.client.ask("containers.create", {"container": self.container}, "zonda.admin")
        self.client.ask("zones.modify", {"operations": [
            {"operationType": "create", "zone": {"zoneID": {"zoneName": ZONE}}}]})
        self.prepare()

    def prepare(self):
        """What has to exist before the first step."""

    def step(self, number):
        raise NotImplementedError

    def run(self, first, count):
        for number in range(first, first + count):
            self.step(number)

    def close(self):
        self.client.close()

    def fill(self):
        """FILL_COUNT records named r0, r1 and so on, of which each fiftieth has the same number."""
        for first in range(0, FILL_COUNT, FILL_BATCH):
            self.client.ask("records.modify", modify_body(
                [save_operation(f"r{number}", number % 50) for number in range(first, first + FILL_BATCH)]))

    def zonda(self, *arguments):
        """The output of a command of the command line, in the row's container."""
        return subprocess.run(["zonda", *arguments], check=True, stdout=subprocess.PIPE, text=True, env={
            **os.environ, "ZONDA_CONTAINER": self.container, "ZONDA_USER": self.user}).stdout.strip()


class Saves(Row):
    title = "saves, one per message"

    def prepare(self):
        self.client.listen("zone.#")

    def step(self, number):
        before = self.client.notified
        self.client.ask("records.modify", modify_body(self.writes(number)))
        self.client.wait_for_notifications(before + 1)

    def writes(self, number):
        """A new record with every second save, which the following one replaces."""
        return [save_operation(f"s{number // 2}", number)]


class SavesBy100(Saves):
    title = "saves, 100 per message"
    steps, warm_up_steps, operations_per_step = 250, 50, 100

    def writes(self, number):
        return [save_operation(f"s{number // 2}-{index}", number) for index in range(100)]


class SavesInProgress(Row):
    title = f"saves, {MOST_IN_PROGRESS} in progress"
    steps, warm_up_steps = 6000, 1000
    is_held = False

    def run(self, first, count):
        waiting = []
        for number in range(first, first + count):
            waiting.append(self.client.send("records.modify", modify_body([save_operation(f"s{number}", number)])))
            if len(waiting) == MOST_IN_PROGRESS:
                self.client.receive(waiting.pop(0))
        for identity in waiting:
            self.client.receive(identity)


class SavesNotified(Saves):
    title = "saves that fire a zone and a query subscription"

    def prepare(self):
        # The query needs the type, which a first save declares.
        self.client.ask("records.modify", modify_body([save_operation("first", 0)]))
        self.client.ask("subscriptions.modify", {"operations": [
            {"operationType": "create", "subscription": subscription} for subscription in [
                {"subscriptionID": "zone", "subscriptionType": "zone", "zoneID": {"zoneName": ZONE},
                 "notificationInfo": {"alertBody": "Something new"}},
                {"subscriptionID": "query", "subscriptionType": "query", "firesOn": ["create", "update"],
                 "query": {"recordType": "Load", "filterBy": []},
                 "notificationInfo": {"alertBody": "Something new"}},
            ]]})
        self.client.listen("user.#")

    def step(self, number):
        before = self.client.notified
        self.client.ask("records.modify", modify_body(self.writes(number)))
        self.client.wait_for_notifications(before + 2)


class Lookups(Row):
    title = "look-ups, one per message"

    def prepare(self):
        self.fill()

    def step(self, number):
        self.client.ask("records.lookup", lookup_body(f"r{number * 7 % FILL_COUNT}"))


class Walk(Row):
    title = "records read from the feed of a zone"
    steps, warm_up_steps, operations_per_step = 500, 50, PAGE_COUNT
    token = None

    def prepare(self):
        self.fill()

    def step(self, number):
        self.read_page(number, self.client, {"zoneName": ZONE})

    def read_page(self, number, client, zone_id):
        zone = {"zoneID": zone_id, "resultsLimit": PAGE_COUNT}
        if self.token:
            zone["syncToken"] = self.token
        page = client.ask("changes.zone", {"zones": [zone]})["zones"][0]
        if len(page["records"]) != PAGE_COUNT:
            raise RuntimeError(f"a page has {len(page['records'])} records")
        is_last = (number + 1) % (FILL_COUNT // PAGE_COUNT) == 0
        self.token = None if is_last else page["syncToken"]


class Shared(Row):
    """A zone whose records are below a root that the owner shares with a participant, who may write."""

    guest = None

    def open(self):
        super().open()
        self.guest = Client(os.environ["ZONDA_AMQP_URL"], self.container, GUEST, database="shared")

    def share(self):
        invitation = {"type": "USER", "permission": "READ_WRITE", "acceptanceStatus": "INVITED",
                      "userIdentity": {"userRecordName": GUEST}}
        share = {"recordName": "share", "recordType": "cloudkit.share", "fields": {},
                 "forRecord": {"recordName": "root"}, "participants": [invitation]}
        saved = self.client.ask("records.modify", {"zoneID": {"zoneName": ZONE}, "operations": [
            save_operation("root", 0), {"operationType": "create", "record": share}]})
        guest = Client(os.environ["ZONDA_AMQP_URL"], self.container, GUEST, database="public")
        guest.ask("records.accept", {"shortGUIDs": [{"value": saved["records"][1]["shortGUID"]}]})
        guest.close()

    @property
    def zone_of_guest(self):
        return {"zoneName": ZONE, "ownerRecordName": self.user}

    def close(self):
        self.guest.close()
        super().close()


class SharedSaves(Shared, Saves):
    title = "saves into a shared tree, one per message"

    def prepare(self):
        self.share()
        super().prepare()

    def writes(self, number):
        return [below(operation, "root") for operation in super().writes(number)]


class ParticipantSaves(SharedSaves):
    title = "a participant's saves into a shared tree"

    def step(self, number):
        before = self.client.notified
        self.guest.ask("records.modify", {**modify_body(self.writes(number)), "zoneID": self.zone_of_guest})
        self.client.wait_for_notifications(before + 1)


class ParticipantWalk(Shared, Walk):
    title = "records read from a participant's feed"

    def prepare(self):
        self.share()
        # The feed also contains the root and the share.
        for first in range(2, FILL_COUNT, FILL_BATCH):
            self.client.ask("records.modify", modify_body([
                below(save_operation(f"r{number}", number % 50), "root")
                for number in range(first, min(first + FILL_BATCH, FILL_COUNT))]))

    def step(self, number):
        self.read_page(number, self.guest, self.zone_of_guest)


class Queries(Row):
    title = "queries for 20 of 40 records, with an index"
    body = {
        "zoneID": {"zoneName": ZONE}, "resultsLimit": 20,
        "query": {"recordType": "Load", "filterBy": [
            {"comparator": "EQUALS", "fieldName": "n", "fieldValue": {"value": 3, "type": "INT64"}}]},
    }

    def prepare(self):
        self.fill()
        for _second in range(60):
            if "warnings" not in self.client.ask("records.explain", self.body):
                return
            time.sleep(1)
        raise RuntimeError("the service has not built the index of the query")

    def step(self, number):
        if len(self.client.ask("records.query", self.body)["records"]) != 20:
            raise RuntimeError("a query has another number of records")


class Gateway(Row):
    """A signed-in user's requests over HTTP."""

    def open(self):
        super().open()
        email = f"{self.name}@example.org"
        self.zonda("user", "create", email, "--user-record-name", self.user)
        credentials = urllib.parse.urlencode({
            "ckAPIToken": self.zonda("token", "create", "cost"), "ckWebAuthToken": self.zonda("user", "token", email)})
        self.path = f"/database/1/{self.container}/{ENVIRONMENT}/private/records/%s?{credentials}"
        self.http = HTTPClient(os.environ["ZONDA_URL"])

    def close(self):
        self.http.close()
        super().close()


class GatewaySaves(Gateway):
    title = "saves over HTTP"

    def prepare(self):
        self.client.listen("zone.#")

    def step(self, number):
        before = self.client.notified
        self.http.post(self.path % "modify", modify_body([save_operation(f"s{number // 2}", number)]))
        self.client.wait_for_notifications(before + 1)


class GatewayLookups(Gateway):
    title = "look-ups over HTTP"

    def prepare(self):
        self.fill()

    def step(self, number):
        self.http.post(self.path % "lookup", lookup_body(f"r{number * 7 % FILL_COUNT}"))


class Assets(Row):
    """Files of ASSET_BYTES bytes, each with a record that has it."""

    def open(self):
        self.http = HTTPClient(os.environ["ZONDA_ASSET_URL"])
        super().open()

    def upload(self, number):
        token = self.client.ask("assets.upload", {"tokens": [{"recordType": "File", "fieldName": "file"}]})
        content = f"{self.name} {number:08}".encode()
        asset = self.http.put(token["tokens"][0]["url"], content + bytes(ASSET_BYTES - len(content)))["singleFile"]
        return self.client.ask("records.modify", {"zoneID": {"zoneName": ZONE}, "operations": [{
            "operationType": "create", "record": {
                "recordName": f"f{number}", "recordType": "File",
                "fields": {"file": {"value": asset, "type": "ASSETID"}}}}]})["records"][0]

    def close(self):
        self.http.close()
        super().close()


class Uploads(Assets):
    title = "uploads of 100 kB, with their saves"
    steps, warm_up_steps = 500, 50

    def prepare(self):
        self.client.listen("zone.#")

    def step(self, number):
        before = self.client.notified
        self.upload(number)
        self.client.wait_for_notifications(before + 1)


class Downloads(Assets):
    title = "downloads of 100 kB"
    steps, warm_up_steps = 1000, 100
    files = 20

    def prepare(self):
        urls = [self.upload(number)["fields"]["file"]["value"]["downloadURL"] for number in range(self.files)]
        self.urls = [url.replace("${f}", "file") for url in urls]

    def step(self, number):
        if len(self.http.get(self.urls[number % self.files])) != ASSET_BYTES:
            raise RuntimeError("a download has another number of bytes")


ROWS = [
    row(name) for name, row in {
        "saves": Saves, "saves_by_100": SavesBy100, "saves_in_progress": SavesInProgress, "saves_notified": SavesNotified,
        "lookups": Lookups, "walk": Walk, "query": Queries, "gateway_saves": GatewaySaves,
        "gateway_lookups": GatewayLookups, "upload": Uploads, "download": Downloads, "shared_saves": SharedSaves,
        "participant_saves": ParticipantSaves, "participant_walk": ParticipantWalk,
    }.items()
]
