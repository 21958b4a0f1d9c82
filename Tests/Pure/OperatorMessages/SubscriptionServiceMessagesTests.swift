import CloudKitModel
import CloudKitWire
import OperatorMessages
import ServiceMessages
import Testing

/// The bodies of the subscription service's operations, as ``RecordServiceMessagesTests`` has those of the record service.
@Suite struct SubscriptionServiceMessagesTests {
    @Test func subscriptionsAreSelectedByMembersThatMayBeMissing() throws {
        try expectBody(SubscriptionsStatesRequest(container: nil), "{}")
        var request = SubscriptionsStatesRequest(
            container: "c", environment: "production", database: .public, user: "_u", subscriptionID: "s")
        request.limit = 3
        request.after = "a"
        try expectBody(
            request,
            #"{"container":"c","environment":"production","database":"public","user":"_u","subscriptionID":"s","limit":3,"after":"a"}"#
        )
    }

    @Test(arguments: [
        (#"{"container":1}"#, "container", "a string"), (#"{"limit":"1"}"#, "limit", "a whole number"),
        (#"{"database":"secret"}"#, "database", "'public', 'private' or 'shared'"),
    ]) func aMemberOfAnotherKindIsRefused(body: String, key: String, expected: String) {
        #expect(error(SubscriptionsStatesRequest.self, body) == .wrongKind(key, expected: expected))
    }

    @Test func aSubscriptionKeepsTheFormThatClientsSave() throws {
        let state =
            #"{"isActive":true,"delivered":2,"refused":0,"lastSeq":7,"lastZone":"z","lastAt":5,"lastLag":3,"lastError":"e","lastErrorAt":4}"#
        let subscription = #"{"zoneWide":true,"subscriptionID":"s","number":1.0}"#
        try expectBody(
            SubscriptionsStatesRequest.Answer.self,
            #"{"subscriptions":[{"container":"c","environment":"production","database":"public","user":"_u","subscription":\#(subscription),"state":\#(state)}],"after":"p"}"#
        )
    }

    @Test func aTestNamesOneSubscription() throws {
        try expectBody(
            SubscriptionsTestRequest(
                container: "c", environment: "production", database: .private, user: "_u", subscriptionID: "s"),
            #"{"container":"c","environment":"production","database":"private","user":"_u","subscriptionID":"s"}"#)
        #expect(
            error(
                SubscriptionsTestRequest.self, #"{"container":"c","environment":"e","database":"public","user":"_u"}"#)
                == .missingKey("subscriptionID"))
        try expectBody(
            SubscriptionsTestRequest.Answer(
                id: "i", nid: "n", exchange: "x", routingKey: "k", routed: false, error: "nacked",
                clients: [.init(name: "q", clientId: nil), .init(name: "r", clientId: "phone")]),
            #"{"id":"i","nid":"n","exchange":"x","routingKey":"k","routed":false,"error":"nacked","clients":[{"name":"q"},{"name":"r","clientId":"phone"}]}"#
        )
    }

    private static let owner = "_00000000000000000000000000000001"

    @Test(arguments: [
        (
            DatabaseScope.private, ConsumerGrant.Zones.named(["z"]),
            #""database":"private","user":"\#(owner)","zones":["z"]"#
        ),
        (.public, .all, #""database":"public","allZones":true"#),
    ]) func aGrantHasTheMembersOfItsDatabaseAndItsZones(
        scope: DatabaseScope, zones: ConsumerGrant.Zones, text: String
    ) throws {
        let grant = ConsumerGrant(
            consumer: ConsumerName(unchecked: "a"), brokerUser: "b", container: "c", environment: .development,
            scope: scope, owner: scope == .public ? ZoneAddress.publicOwner : Self.owner, zones: zones)
        let body = #"{"consumer":"a","brokerUser":"b","container":"c","environment":"development",\#(text)"#
        try expectBody(ConsumersGrantRequest(grant), body + "}")
        let granted = GrantedConsumer(grant: grant, grantedAt: 5)
        try expectBody(granted, body + #","grantedAt":5}"#)
        #expect(try JSONValue(encoding: granted).decoded(as: GrantedConsumer.self).grant == grant)
    }

    @Test func anInvalidGrantIsRefused() {
        #expect(error(ConsumersGrantRequest.self, #"{"consumer":"a"}"#) == .missingKey("brokerUser"))
    }

    @Test func consumersAreListedInPages() throws {
        try expectBody(ConsumersListRequest(), "{}")
        var request = ConsumersListRequest()
        (request.limit, request.after) = (2, "a")
        try expectBody(request, #"{"limit":2,"after":"a"}"#)
        try expectBody(ConsumersListRequest.Answer(consumers: [], after: nil), #"{"consumers":[]}"#)
    }

    @Test func aRevokedConsumerIsNamed() throws {
        try expectBody(ConsumersRevokeRequest(consumer: "a"), #"{"consumer":"a"}"#)
        try expectBody(
            ConsumersRevokeRequest.Answer(consumer: "a", revoked: false), #"{"consumer":"a","revoked":false}"#)
        #expect(error(ConsumersRevokeRequest.self, #"{"consumer":true}"#) == .missingKey("consumer"))
    }
}
