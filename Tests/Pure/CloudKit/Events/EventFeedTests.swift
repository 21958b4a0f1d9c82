import CloudKitModel
import CloudKitWire
import Foundation
import Synchronization
import TestSupport
import Testing

@testable import CloudKit

@Suite(.timeLimit(.minutes(1))) struct EventFeedTests {
    /// A gateway whose streams are the given texts, one after another; the last one is repeated.
    private static func gateway(
        _ streams: [String], knowsToken: @escaping @Sendable () -> Bool = { true }
    ) -> FakeGateway {
        let number = Mutex(0)
        return FakeGateway { request, _ in
            let host = request.headers["host"] ?? ""
            if request.path.contains("/users/caller?") { return FakeGateway.json("{\"userRecordName\": \"_a\"}") }
            if request.path.contains("/tokens/register?"), !knowsToken() {
                return FakeGateway.json(
                    "{\"serverErrorCode\": \"BAD_REQUEST\", \"ckErrorCode\": 12, \"reason\": \"r\"}", status: 400)
            }
            if request.path.contains("/tokens/") {
                return FakeGateway.json("{\"apnsToken\": \"T\", \"webcourierURL\": \"http://\(host)/courier?tok=T\"}")
            }
            let index = number.withLock { number in
                number += 1
                return number - 1
            }
            return FakeGateway.json(
                streams[min(index, streams.count - 1)], headers: ["content-type": "text/event-stream"])
        }
    }

    private static func feed(_ gateway: FakeGateway, _ folder: TemporaryFolder) throws -> EventFeed {
        let connection = try gateway.connection(session: FakeGateway.session("w", user: "_a"))
        return EventFeed(environment: ["XDG_STATE_HOME": folder.path]) { () throws(CKError) in connection }
    }

    private static func ids(_ count: Int, of feed: inout EventFeed) async throws -> [String] {
        var ids: [String] = []
        while ids.count < count {
            switch try await feed.next() {
            case .event(let event): ids.append(event.id)
            case .gap: ids.append("gap")
            }
        }
        return ids
    }

    @Test("A feed registers, continues after the last event, and delivers none twice")
    func continues() async throws {
        let folder = try TemporaryFolder()
        let gateway = Self.gateway([
            "id: 1\ndata: a\n\nid: 2\ndata: b\n\n", "id: 2\ndata: b\n\nid: 3\ndata: c\n\n", "id: 4\ndata: d\n\n",
        ])
        var feed = try Self.feed(gateway, folder)
        #expect(try await Self.ids(5, of: &feed) == ["gap", "1", "2", "3", "4"])
        let streams = gateway.requests.filter { $0.path.hasPrefix("/courier") }
        #expect(streams.map { $0.headers["last-event-id"] } == [nil, "2", "3"])
        let registrations = gateway.requests.filter { $0.path.contains("/tokens/") }
        #expect(registrations.map { $0.path.contains("/device/1/") } == [true])
        #expect(
            try registrations.first.map { try JSONValue(parsing: $0.body) }
                == ["apnsEnvironment": "development", "clientId": "here"])
    }

    @Test("A process that starts again uses the token of the former one, and misses nothing")
    func restarted() async throws {
        let folder = try TemporaryFolder()
        let gateway = Self.gateway(["id: 1\ndata: a\n\n", "id: 2\ndata: b\n\n"])
        do {
            var feed = try Self.feed(gateway, folder)
            #expect(try await Self.ids(2, of: &feed) == ["gap", "1"])
        }
        var feed = try Self.feed(gateway, folder)
        #expect(try await Self.ids(1, of: &feed) == ["2"])
        let second = try #require(gateway.requests.last { $0.path.contains("/tokens/") })
        #expect(second.path.contains("/tokens/register?"))
        #expect(try JSONValue(parsing: second.body)["apnsToken"] == "T")
    }

    @Test("Processes that run at the same time have tokens of their own")
    func simultaneous() async throws {
        let folder = try TemporaryFolder()
        let gateway = Self.gateway(["id: 1\ndata: a\n\n"])
        var first = try Self.feed(gateway, folder)
        #expect(try await Self.ids(1, of: &first) == ["gap"])
        var second = try Self.feed(gateway, folder)
        #expect(try await Self.ids(1, of: &second) == ["gap"])
        withExtendedLifetime(first) {}
        #expect(gateway.requests.filter { $0.path.contains("/tokens/create?") }.count == 2)
    }

    @Test("If the server has forgotten the registration, the feed says that events may have been lost")
    func forgotten() async throws {
        let folder = try TemporaryFolder()
        let knowsToken = Mutex(true)
        let gateway = Self.gateway(
            ["id: 1\ndata: a\n\n", "id: 2\ndata: b\n\n"], knowsToken: { knowsToken.withLock { $0 } })
        do {
            var feed = try Self.feed(gateway, folder)
            #expect(try await Self.ids(2, of: &feed) == ["gap", "1"])
        }
        knowsToken.withLock { $0 = false }
        var feed = try Self.feed(gateway, folder)
        #expect(try await Self.ids(2, of: &feed) == ["gap", "2"])
        #expect(gateway.requests.filter { $0.path.contains("/tokens/create?") }.count == 2)
    }

    @Test("A feed ends when no user is signed in")
    func signedOut() async throws {
        let folder = try TemporaryFolder()
        let gateway = FakeGateway { _, _ in
            FakeGateway.json(
                "{\"serverErrorCode\": \"AUTHENTICATION_REQUIRED\", \"ckErrorCode\": 9, \"reason\": \"r\"}", status: 421
            )
        }
        var feed = try Self.feed(gateway, folder)
        let error = try await #require(throws: CKError.self) { try await feed.next() }
        #expect(error.code == .notAuthenticated)
    }

    @Test("Notifications are of Apple's classes; events of other kinds are skipped")
    func notifications() async throws {
        let gateway = Self.gateway([
            """
            id: 1
            data: {"something": "else"}

            id: 2
            data: {"aps": {}, "ck": {"cid": "iCloud.a", "nid": "n", "fet": {"sid": "s", "zid": "Notes", "zoid": "_a", "dbs": 2}}}


            """
        ])
        let folder = try TemporaryFolder()
        var iterator = CKNotificationSequence.Iterator(feed: try Self.feed(gateway, folder))
        let notification = try await iterator.next()
        #expect((notification as? CKRecordZoneNotification)?.recordZoneID?.zoneName == "Notes")
        #expect(notification?.subscriptionID == "s")
    }
}
