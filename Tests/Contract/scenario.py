"""A little of everything that Zonda can be asked, and of what it refuses."""
import base64
import json
import os
import urllib.parse
import uuid

REQUESTS, ADMIN, INTERNAL, CONSUMERS = "zonda.requests", "zonda.admin", "zonda.internal", "zonda.consumers"
ZONE = {"zoneName": "Notes & more"}
# Of web-services 4.4; nobody has the private half.
PUBLIC_KEY = """-----BEGIN PUBLIC KEY-----
MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE1EWfXdSoDN4nU2HXOpxDgYRR4DNM
peDRZlLhJhtCJroSsvLyen9KEUTGDZ8KQlEZP6GyZHaqnAQyBuhbnIFl/g==
-----END PUBLIC KEY-----
"""
RECORD = {"recordName": "all", "recordType": "Note", "fields": {
    "text": {"value": "é\n"}, "whole": {"value": 9007199254740993}, "fraction": {"value": 0.5, "type": "DOUBLE"},
    "at": {"value": 1768470000000, "type": "TIMESTAMP"}, "bytes": {"value": "AAEC", "type": "BYTES"},
    "secret": {"value": "s", "isEncrypted": True}, "place": {"value": {"latitude": 52.5, "longitude": 13.4}},
    "other": {"value": {"recordName": "first", "action": "NONE", "zoneID": ZONE}},
    "texts": {"value": ["a", "b"]}, "wholes": {"value": [1, 2]}, "places": {"value": [{"latitude": 1, "longitude": 2}]},
}}


class Scenario:
    """Asks, and hands every answer to `answered(operation, parts)`. `malformed` are the identities of requests that the
    document has to refuse as the services do."""

    def __init__(self, broker, document, answered):
        self.broker, self.document, self.answered, self.malformed = broker, document, answered, set()
        self.container = os.environ["ZONDA_CONTAINER"]

    def ask(self, operation, body, exchange=REQUESTS, status=200, **properties):
        """Asks, and returns the answer's JSON; it has to be of that status."""
        _, answer = self.broker.ask(exchange, operation, body, **properties)
        self.answered(operation, answer)
        text = answer["payload"].decode()
        assert answer["headers"]["zonda-status"] == status, f"{operation}: {text}"
        return json.loads(text)

    def refuse(self, operation, body, status, malformed=False, **properties):
        """Asks something that is refused as a whole."""
        message_id = str(uuid.uuid4())
        if malformed:
            self.malformed.add(message_id)
        self.ask(operation, body, status=status, message_id=message_id, **properties)

    def modify(self, *operations, **request):
        return self.ask("records.modify", {"zoneID": ZONE, "atomic": False, "operations": [
            {"operationType": kind, "record": record} for kind, record in operations]} | request)["records"]

    def run(self):
        self.containers_and_zones()
        self.subscriptions()
        self.records()
        self.shares()
        self.interests()
        self.clients()
        self.consumers()
        self.accounts()
        self.feeds()
        self.queries()
        self.assets()
        self.schema()
        self.refusals()
        self.dead_letters()
        self.examples()
        self.ask("zones.modify", {"operations": [{"operationType": "delete", "zone": {"zoneID": ZONE}}]})
        self.purges()
        self.ask("containers.create", {"container": "iCloud.gone"}, ADMIN)
        self.ask("containers.delete", {"container": "iCloud.gone"}, ADMIN)

    def containers_and_zones(self):
        self.ask("containers.create", {"container": self.container}, ADMIN)
        self.ask("containers.list", {}, ADMIN)
        self.ask("service.capabilities", {})
        self.ask("zones.list", {}, headers=self.broker.headers | {
            "zonda-client": "laptop", "zonda-request-id": "list-1", "zonda-deadline": 4_102_444_800_000})
        self.ask("zones.modify", {"operations": [
            {"operationType": "create", "zone": {"zoneID": ZONE}},
            {"operationType": "delete", "zone": {"zoneID": {"zoneName": "Nowhere"}}}]})
        self.ask("zones.list", {})
        self.ask("zones.lookup", {"zones": [ZONE, {"zoneName": "_defaultZone"}, {"zoneName": "Nowhere"}]})

    def subscriptions(self):
        plain = {"subscriptionID": "plain", "subscriptionType": "zone", "zoneID": ZONE}
        shown = plain | {"subscriptionID": "shown", "notificationInfo": {
            "alertBody": "Something new", "title": "Notes", "soundName": "default", "category": "notes",
            "shouldSendContentAvailable": True, "additionalFields": ["text"]}}
        gone = plain | {"subscriptionID": "gone"}
        nowhere = plain | {"zoneID": {"zoneName": "Nowhere"}}
        self.ask("subscriptions.modify", {"operations": [
            *({"operationType": "create", "subscription": given} for given in (plain, shown, gone, nowhere)),
            {"operationType": "delete", "subscription": {"subscriptionID": "gone"}}]})
        everywhere = {"subscriptionID": "everywhere", "subscriptionType": "database", "recordType": "Note"}
        self.ask("subscriptions.modify", {"operations": [{"operationType": "create", "subscription": everywhere}]})
        self.ask("badges.set", {"badge": 3})
        self.ask("subscriptions.list", {})
        self.ask("subscriptions.lookup", {"subscriptions": [{"subscriptionID": "shown"}, {"subscriptionID": "gone"}]})

    def consumers(self):
        # The scenario's own broker user is the consumer.
        user = urllib.parse.unquote(urllib.parse.urlsplit(os.environ["ZONDA_AMQP_URL"]).username)
        grant = {"consumer": "reports", "brokerUser": user, "container": self.container, "environment": "development",
                 "database": "private", "user": os.environ["ZONDA_USER"], "zones": [ZONE["zoneName"]]}
        self.ask("consumers.grant", grant, ADMIN)
        self.ask("consumers.grant", grant | {"consumer": "other", "brokerUser": "other"}, ADMIN)
        self.ask("consumers.list", {"limit": 1}, ADMIN)
        self.ask("notifications.replay", {"since": "1h", "limit": 1}, CONSUMERS, user_id=user)
        self.ask("consumers.revoke", {"consumer": "other"}, ADMIN)

    def accounts(self):
        place = {"container": self.container, "environment": "development"}
        ada = {"email": "ada@example.org"}
        self.ask("users.create", ada | {
            "givenName": "Ada", "familyName": "Doe", "password": "correct horse", "discoverable": True,
            "container": self.container, "userRecordName": os.environ["ZONDA_USER"]}, ADMIN)
        self.ask("users.create", {"email": "bob@example.org"}, ADMIN)
        self.refuse("users.create", ada, 409, exchange=ADMIN)
        self.refuse("users.create", {}, 400, malformed=True, exchange=ADMIN)
        self.ask("users.list", {"limit": 1}, ADMIN)
        self.ask("users.token", ada | place | {"staysSignedIn": True}, ADMIN)
        self.ask("users.signIns", ada, ADMIN)
        self.ask("users.password", ada | {"password": "battery staple"}, ADMIN)
        self.ask("users.signOut", ada, ADMIN)
        self.ask("users.delete", {"email": "bob@example.org"}, ADMIN)
        made = self.ask("apiTokens.create", place | {
            "name": "web", "origins": ["https://notes.example.org"], "callbackURL": "https://notes.example.org/in"}, ADMIN)
        self.ask("apiTokens.revoke", {"token": made["token"]}, ADMIN)
        self.ask("apiTokens.create", place | {"name": "plain"}, ADMIN)
        self.ask("apiTokens.list", place | {"limit": 1}, ADMIN)
        key = self.ask("serverKeys.add", place | {"name": "importer", "publicKey": PUBLIC_KEY}, ADMIN)
        self.refuse("serverKeys.add", place | {"name": "none", "publicKey": "none"}, 400, exchange=ADMIN)
        self.ask("serverKeys.list", {}, ADMIN)
        self.ask("serverKeys.revoke", place | {"keyID": key["keyID"]}, ADMIN)
        self.ask("serverKeys.list", {}, ADMIN)

    def records(self):
        first = {"recordName": "first", "recordType": "Note", "fields": {"text": {"value": "1"}}}
        self.modify(("create", first), ("create", RECORD | {"parent": {"recordName": "first"}}))
        # One in conflict, with the server's record; one that is not there; one that is deleted; one at fault.
        fault = {"recordName": "all", "recordType": "Note", "fields": {"whole": {"value": "no"}}}
        self.modify(("create", first), ("update", first | {"recordName": "nowhere"}),
                    ("forceDelete", {"recordName": "x"}), ("forceUpdate", fault))
        self.ask("records.modify", {"zoneID": ZONE, "atomic": True, "operations": [
            {"operationType": "create", "record": first},
            {"operationType": "create", "record": first | {"recordName": "second"}}]}, status=400)
        self.ask("records.lookup", {"zoneID": ZONE, "numbersAsStrings": True, "records": [
            {"recordName": "all"}, {"recordName": "first", "desiredKeys": ["text"]}, {"recordName": "nowhere"}]})
        # In the public database, whose records have no zone and whose zone nobody owns.
        public = self.broker.headers | {"zonda-database": "public", "zonda-client": "laptop", "zonda-interface": "web"}
        self.ask("records.modify", {"operations": [{"operationType": "create", "record": first}]}, headers=public)
        heard = self.broker.wait_for("zonda.changes", lambda key, seen: ".public." in key)
        for kind in ("zone.", "user."):
            self.broker.wait_for("zonda.notifications", lambda key, seen: key.startswith(kind))
        log = {"incarnation": json.loads(heard["payload"])["incarnation"], "afterSeq": 0}
        self.ask("changes.log", log, INTERNAL)
        self.ask("changes.log", log | {"incarnation": str(uuid.uuid4())}, INTERNAL, status=404)

    def shares(self):
        invited = {"type": "USER", "permission": "READ_ONLY", "userIdentity": {"lookupInfo": {"emailAddress": "ada@example.org"}}}
        root, share = self.modify(
            ("create", {"recordName": "list", "recordType": "Note", "fields": {}}),
            ("create", {"recordName": "S", "recordType": "cloudkit.share", "fields": {"cloudkit.title": {"value": "List"}},
                        "forRecord": {"recordName": "list"}, "participants": [invited]}))
        link = {"value": share["shortGUID"], "shouldFetchRootRecord": True}
        assert root["shortGUID"] == link["value"]
        ada = self.broker.headers | {"zonda-database": "public", "zonda-user": "_" + "d" * 32}
        # Unknown; open to another address; resolved and accepted by the verified one, then by the owner.
        for operation in ("records.resolve", "records.accept"):
            self.ask(operation, {"shortGUIDs": [link, {"value": "unknown"}, "unknown"]}, headers=ada)
        ada = ada | {"zonda-identity": "ada@example.org"}
        for operation in ("records.resolve", "records.accept"):
            found = self.ask(operation, {"shortGUIDs": [link]}, headers=ada)["results"][0]
            assert found["databaseScope"] == "SHARED", found
        self.ask("records.resolve", {"shortGUIDs": [link]})
        theirs = ada | {"zonda-database": "shared"}
        zone = {"zoneID": ZONE | {"ownerRecordName": self.broker.headers["zonda-user"]}}
        self.ask("shares.rights", zone, INTERNAL, headers=theirs)
        upload = {"tokens": [{"recordType": "Note", "fieldName": "photo"}]}
        self.refuse("assets.upload", upload | zone, 403, headers=theirs)
        self.refuse("assets.upload", upload | {"zoneID": zone["zoneID"] | {"zoneName": "Nowhere"}}, 404, headers=theirs)
        self.refuse("records.accept", {"shortGUIDs": [{}]}, 400, malformed=True, headers=ada)
        # A one-time link, and a user who requests access and is blocked.
        def update(keys):
            tag = self.ask("records.lookup", {"zoneID": ZONE, "records": [{"recordName": "S"}]})["records"][0]
            record = {"recordName": "S", "recordType": "cloudkit.share", "recordChangeTag": tag["recordChangeTag"]}
            return self.modify(("update", record | keys(tag)))[0]
        saved = update(lambda share: {
            "allowsAccessRequests": True,
            "participants": share["participants"] + [{"permission": "READ_ONLY", "usesOneTimeURL": True}]})
        assert len(saved["participants"][-1]["oneTimeShortGUID"]) == 24, saved
        eve = self.broker.headers | {"zonda-database": "public", "zonda-user": "_" + "e" * 32}
        refused = self.ask("records.resolve", {"shortGUIDs": [link]}, headers=eve)["results"][0]
        assert refused["reasonCode"] == "access_request_required", refused
        self.ask("shares.requestAccess", {"shortGUIDs": [link, "unknown"]}, headers=eve)
        assert len(update(lambda share: {})["requesters"]) == 1
        identity = [{"userRecordName": eve["zonda-user"]}]
        assert len(update(lambda share: {"blockRequesters": identity})["blocked"]) == 1
        update(lambda share: {"denyRequesters": identity, "unblockIdentities": identity})
        place = self.ask("shares.locate", {"shortGUID": share["shortGUID"]}, INTERNAL)
        assert place == {"container": self.container, "environment": "development"}, place
        assert self.ask("shares.locate", {"shortGUID": "unknown"}, INTERNAL) == {}
        question = {"container": self.container, "environment": "development", "zone": ZONE["zoneName"],
                    "owner": self.broker.headers["zonda-user"], "user": ada["zonda-user"]}
        why = self.ask("shares.explain", question | {"recordName": "list"}, ADMIN)
        assert why["right"] == "READ_ONLY" and why["participant"]["acceptanceStatus"] == "ACCEPTED", why
        assert self.ask("shares.explain", question | {"recordName": "nowhere"}, ADMIN)["missing"] == "record"
        self.refuse("shares.explain", question | {"recordName": 1}, 400, malformed=True, exchange=ADMIN)
        self.modify(("delete", {"recordName": "S"}), ("delete", {"recordName": "list"}))

    def clients(self):
        made = self.ask("tokens.create", {"apnsEnvironment": "development", "clientId": "laptop"})
        token = {key: made[key] for key in ("apnsEnvironment", "apnsToken")}
        self.ask("tokens.register", token)
        queue = self.ask("tokens.status", token)["queue"]
        # There is room for one: see `ContractTests`.
        told = self.broker.wait_for("zonda.notifications", lambda key, seen: key.startswith("user."))
        for _ in range(2):
            self.broker.publish("", queue, told["payload"], told["headers"],
                                timestamp=told["x-amqp-properties"]["timestamp"])
        self.broker.wait_for("zonda.drops")
        while self.ask("tokens.status", token)["dropped"] == 0:
            pass
        self.refuse("tokens.create", {"apnsEnvironment": "sandbox"}, 400, malformed=True)
        self.refuse("tokens.register", token | {"apnsToken": "A" * 43 + "="}, 400)
        self.refuse("tokens.register", token | {"apnsToken": "A" * 43}, 400, malformed=True)
        self.refuse("tokens.status", {}, 400, malformed=True)

    def queries(self):
        def filtered(comparator, name, value, **others):
            return {"comparator": comparator, "fieldName": name, "fieldValue": {"value": value}} | others

        place = {"latitude": 52, "longitude": 13}
        every = {"query": {"recordType": "Note"}, "zoneID": ZONE}
        found = self.ask("records.query", every | {"resultsLimit": 1})
        self.ask("records.query", every | {"continuationMarker": found["continuationMarker"], "numbersAsStrings": True})
        self.ask("records.query", {"query": {"recordType": "Note", "filterBy": [
            filtered("NEAR", "place", place, distance=1e6), {"or": [
                filtered("CONTAINS", "text", "É", options="c"), {"not": filtered("IN", "whole", [1, 2])}]}],
            "sortBy": [{"fieldName": "place", "relativeLocation": place}, {"systemFieldName": "recordName", "ascending": False}]},
            "zoneWide": True, "desiredKeys": ["text"]})
        self.ask("records.query", {"query": {"recordType": "Note", "filterBy": filtered("LIST_CONTAINS", "texts", "a"),
                                             "sortBy": {"fieldName": "whole"}}, "zoneID": ZONE})
        numbers = [{"function": "COUNT"}, {"function": "AVG", "fieldName": "fraction"},
                   {"function": "MAX", "systemFieldName": "modifiedTimestamp"}]
        self.ask("records.aggregate", every)
        self.ask("records.aggregate", every | {"aggregates": numbers, "groupBy": {"fieldName": "fraction"}})
        self.ask("records.explain", every)
        self.ask("records.explain", {"query": {"recordType": "Note", "filterBy": filtered("MATCHES", "text", "1.*")},
                                     "zoneID": ZONE})
        self.refuse("records.query", {"query": {"recordType": "Nothing"}, "zoneID": ZONE}, 404)
        self.refuse("records.query", every | {"continuationMarker": "forged"}, 400)
        self.refuse("records.query", {"query": {"recordType": "Note", "filterBy": filtered("MATCHES", "text", "(")},
                                      "zoneID": ZONE}, 400)
        self.refuse("records.query", {"query": {"recordType": "Note", "filterBy": filtered("SOUNDS_LIKE", "text", "a")}},
                    400, malformed=True)
        self.refuse("records.aggregate", every | {"aggregates": [{"function": "MEDIAN"}]}, 400, malformed=True)
        self.refuse("records.explain", {"query": {}}, 400, malformed=True)

    def interests(self):
        note = {"recordType": "Note"}
        fault = {"comparator": "EQUALS", "fieldName": "nowhere", "fieldValue": {"value": 1}}
        self.ask("clients.forget", {"container": "none.such", "environment": "development", "sessions": ["none"]}, INTERNAL)
        self.ask("shares.audience", {"incarnation": "6f9619ff-8b86-d011-b42d-00c04fc964ff", "shares": [1], "fromSeq": 0},
                 INTERNAL)
        self.ask("interests.set", {"queries": [
            {"query": note, "zoneID": ZONE}, {"query": note, "zoneID": {"zoneName": "Nowhere"}},
            {"query": {"recordType": "Nothing"}}, {"query": note | {"filterBy": [fault]}}]}, INTERNAL)
        # Watched from here on: the changes that follow have values.
        equal = {"comparator": "EQUALS", "fieldName": "text", "fieldValue": {"value": "2", "type": "STRING"}}
        whole = {"subscriptionID": "query", "subscriptionType": "query", "query": note | {"filterBy": [equal]},
                 "firesOn": ["create", "update", "delete"], "notificationInfo": {
                     "alertLocalizationKey": "NEW", "alertLocalizationArgs": ["text"], "shouldBadge": True,
                     "additionalFields": ["text"], "collapseIDKey": "text"}}
        once = whole | {"subscriptionID": "once", "query": note, "firesOnce": True, "zoneWide": False}
        self.ask("subscriptions.modify", {"operations": [
            {"operationType": "create", "subscription": given}
            for given in (whole, once, whole | {"firesOn": []}, whole | {"query": {"recordType": "Nothing"}})]})
        self.ask("subscriptions.list", {})
        self.modify(("forceUpdate", {"recordName": "watched", "recordType": "Note", "fields": {"text": {"value": "2"}}}))
        self.broker.wait_for("zonda.notifications", lambda key, seen: key.endswith(".query"))
        whose = {"container": self.broker.headers["zonda-container"],
                 "environment": self.broker.headers["zonda-environment"], "database": "private",
                 "user": self.broker.headers["zonda-user"]}
        self.ask("subscriptions.states", whose | {"limit": 1}, ADMIN)
        self.ask("subscriptions.states", {"subscriptionID": "query"}, ADMIN)
        self.ask("subscriptions.test", whose | {"subscriptionID": "query"}, ADMIN)
        self.ask("subscriptions.test", whose | {"subscriptionID": "nothing"}, ADMIN, status=404)

    def feeds(self):
        snapshot = self.ask("changes.log", {}, INTERNAL)["snapshot"]
        zone = self.ask("changes.zone", {"zones": [
            {"zoneID": ZONE, "resultsLimit": 1}, {"zoneID": {"zoneName": "Nowhere"}}]})
        self.modify(("forceDelete", {"recordName": "first"}))
        token = zone["zones"][0]["syncToken"]
        self.ask("changes.zone", {"zones": [{"zoneID": ZONE}], "syncToken": token, "desiredRecordTypes": ["Note"]})
        self.ask("records.changes", {"zoneID": ZONE, "syncToken": token})
        database = self.ask("changes.database", {})
        self.ask("changes.database", {"syncToken": database["syncToken"], "resultsLimit": 10})
        self.ask("zones.changes", {"resultsLimit": 10})
        self.ask("changes.log", {"since": snapshot}, INTERNAL)

    def purges(self):
        since = self.ask("changes.database", {})["syncToken"]
        database = {"container": self.container, "environment": "development", "database": "private",
                    "owner": self.broker.headers["zonda-user"]}
        for reason in ("purged", "encryptedDataReset"):
            self.ask("zones.modify", {"operations": [{"operationType": "create", "zone": {"zoneID": ZONE}}]})
            self.ask("zones.purge", database | {"zones": [ZONE["zoneName"], "Nowhere"], "reason": reason}, ADMIN)
            self.ask("zones.lookup", {"zones": [ZONE]})
            self.refuse("records.lookup", {"zoneID": ZONE, "records": []}, 404)
        self.ask("zones.purge", database | {"all": True, "reason": "purged"}, ADMIN)
        self.ask("changes.database", {"syncToken": since})
        self.refuse("zones.purge", database | {"all": True}, 400, malformed=True, exchange=ADMIN)

    def assets(self):
        self.ask("assets.upload", {"tokens": [{"recordType": "Note", "fieldName": "photo"}], "zoneID": ZONE})
        file = self.ask("assets.put", os.urandom(1000), content_type="image/png")["singleFile"]
        self.modify(("create", {"recordName": "picture", "recordType": "Note", "fields": {
            "photo": {"value": file}, "photos": {"value": [file]}}}))
        self.ask("records.lookup", {"zoneID": ZONE, "records": [{"recordName": "picture"}]})
        again = {"assets": [{"recordName": "picture", "fieldName": name} for name in ("photo", "photos")]}
        self.ask("assets.rereference", again | {"zoneID": ZONE, "targetZoneID": {"zoneName": "_defaultZone"}})
        self.ask("assets.rereference", {"assets": [{"recordName": "all", "fieldName": "text"}], "zoneID": ZONE}, status=400)
        self.ask("assets.receipt", {
            "container": self.container, "environment": "development", "database": "private",
            "owner": self.broker.headers["zonda-user"],
            "fileChecksums": [file["fileChecksum"], base64.b16encode(bytes(32)).decode().lower()]}, ADMIN)
        wanted = {"container": self.container, "checksum": file["fileChecksum"]}
        stat = self.ask("assets.stat", wanted, ADMIN)
        self.ask("assets.references", {"container": self.container, "blob": stat["blob"], "limit": 1}, ADMIN)
        self.ask("assets.used", {"container": self.container, "blobs": [stat["blob"], 0]}, INTERNAL)
        self.ask("assets.holders", {
            "container": self.container, "environment": "development", "blobs": [stat["blob"]]}, INTERNAL)
        self.ask("assets.usage", {"container": self.container}, ADMIN)
        self.ask("assets.quota", {"container": self.container, "userQuota": 10**12, "containerQuota": "none"}, ADMIN)
        self.ask("assets.quarantine", {"container": self.container}, ADMIN)
        self.ask("assets.reconcile", {}, ADMIN)
        self.modify(("forceDelete", {"recordName": "picture"}))
        self.broker.wait_for("zonda.changes", lambda key, seen: "CC" in seen["headers"])
        # Its receipt expires, it is condemned, and its job waits.
        self.broker.wait_for("zonda.delay")
        self.ask("assets.jobs", {"container": self.container}, ADMIN)
        self.ask("assets.stat", wanted, ADMIN)
        self.ask("assets.stat", wanted | {"checksum": base64.b16encode(bytes(32)).decode().lower()}, ADMIN, status=404)
        self.broker.wait_for("zonda.delay", lambda key, seen: key == "asset.jobs")

    def schema(self):
        """Of a container of its own: the others' development environment is not reset."""
        container = {"container": "iCloud.schema"}
        development, production = container | {"environment": "development"}, container | {"environment": "production"}
        text = container | {"schema": """DEFINE SCHEMA CREATE ROLE editor; RECORD TYPE Note (
            title STRING QUERYABLE SORTABLE SEARCHABLE, place LOCATION QUERYABLE, GRANT WRITE TO editor);"""}
        broken = container | {"schema": "DEFINE SCHEMA\nRECORD Note ();"}
        self.ask("containers.create", container, ADMIN)
        self.ask("schema.validate", text, ADMIN)
        self.ask("schema.validate", broken, ADMIN)
        self.ask("schema.import", text, ADMIN)
        self.ask("schema.import", broken, ADMIN, status=400)
        self.ask("schema.deploy", container | {"dryRun": True}, ADMIN)
        self.ask("schema.deploy", container, ADMIN)
        self.ask("schema.import", container | {"schema": "DEFINE SCHEMA"}, ADMIN, status=400)
        self.ask("schema.status", production, ADMIN)
        self.ask("schema.export", production, ADMIN)
        user = self.broker.headers["zonda-user"]
        self.ask("roles.assign", development | {"role": "editor", "users": [user], "assigned": True}, ADMIN)
        self.ask("roles.list", development, ADMIN)
        self.ask("schema.reset", container, ADMIN)
        self.ask("containers.delete", container, ADMIN)

    def refusals(self):
        save = {"zoneID": ZONE, "operations": [{"operationType": "forceReplace", "record": RECORD}]}
        headers = self.broker.headers
        self.refuse("records.modify", b"{", 400, malformed=True)
        self.refuse("records.modify", {}, 400, malformed=True)
        for header in ("zonda-container", "zonda-environment", "zonda-database"):
            missing = {key: value for key, value in headers.items() if key != header}
            self.refuse("records.modify", save, 400, malformed=True, headers=missing)
        nobody = {key: value for key, value in headers.items() if key != "zonda-user"}
        self.refuse("records.modify", save, 421, malformed=True, headers=nobody)
        self.refuse("records.lookup", {}, 400, malformed=True, headers=headers | {"zonda-version": 2})
        self.refuse("records.lookup", {}, 400, malformed=True, headers=headers | {"zonda-deadline": "soon"})
        self.refuse("records.modify", save | {"zoneID": {"zoneName": "Nowhere"}}, 404)
        self.refuse("records.changes", {"zoneID": ZONE, "syncToken": "forged"}, 400)
        self.refuse("records.explode", {}, 404)
        self.refuse("containers.delete", {"container": "iCloud.nowhere"}, 404, exchange=ADMIN)
        # The same identity with another body; and a write without one, which nobody can hold against its copy.
        message_id, answer = self.broker.ask(REQUESTS, "records.modify", save)
        self.answered("records.modify", answer)
        self.ask("records.modify", save | {"numbersAsStrings": True}, status=400, message_id=message_id)
        self.ask("zones.modify", {"operations": []}, status=400, message_id=None, correlation_id="without")

    def dead_letters(self):
        publish = self.broker.publish
        # Nobody to tell: a request without reply-to that fails; one whose reply-to is not allowed; nobody's operation.
        publish(REQUESTS, "records.modify", {"zoneID": ZONE, "operations": [
            {"operationType": "update", "record": {"recordName": "nowhere", "recordType": "Note"}}]})
        self.malformed.add(publish(REQUESTS, "records.modify", {"operations": []}, reply_to="record.writes"))
        publish(REQUESTS, "records.explode", b"\xff")
        # What a service cannot read is rejected, and dead-lettered by the broker.
        self.malformed.add(publish("zonda.delay", "asset.jobs", b"{}", headers={"zonda-version": 1}))
        for header in ("zonda-dead-reason", "x-death"):
            self.broker.wait_for("zonda.dead", lambda key, seen: header in seen["headers"])
        self.broker.wait("all dead letters", lambda: True if sum(
            exchange == "zonda.dead" for exchange, _, _ in self.broker.overheard) >= 4 else None)

    def examples(self):
        """Sends the examples of requests in the document. Each must succeed in the scenario's databases, which have the zone
        and the records that examples name."""
        notes = {"zoneName": "Notes"}
        self.ask("zones.modify", {"operations": [{"operationType": "create", "zone": {"zoneID": notes}}]})
        self.modify(
            ("forceReplace", {"recordName": "milk", "recordType": "Note", "fields": {
                "title": {"value": "Buy milk"}, "folder": {"value": "inbox"},
                "place": {"value": {"latitude": 52.5, "longitude": 13.4}}}}),
            ("forceReplace", {"recordName": "order", "recordType": "Order", "fields": {
                "country": {"value": "France"}, "price": {"value": 19.9, "type": "DOUBLE"}}}), zoneID=notes)
        for _, channel, binding, _ in self.document.channels("routingKey"):
            for name in self.document.message_names(channel["messages"].values()):
                if name.endswith("Request"):
                    for example in self.document.messages[name].get("examples", []):
                        payload = example["payload"]
                        if "container" in payload:
                            payload = payload | {"container": self.container}
                        self.ask(channel["address"], payload, binding["exchange"]["name"])
