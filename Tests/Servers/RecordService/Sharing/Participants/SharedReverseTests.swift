import CloudKitModel
import CloudKitWire
import Testing

@testable import RecordService
@testable import RecordStorage

/// A participant reads the changes of a zone newest first.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct SharedReverseTests {
    /// The writer of the scene has three shares, with hidden records between their changes.
    @Test(arguments: [1, 2, 3, 200]) func aReverseWalkIsTheForwardWalkFromItsEnd(limit: Int) async throws {
        try await SharedScene.with { scene in
            let (database, zone, writer) = (scene.database, scene.zone, scene.writer)
            let start = try await writer.feed()
            #expect(try await writer.feed(limit: limit, reverse: true).names == start.names.reversed())
            try await database.save(zone, database.operation("update", "a", ["n": 1]))
            try await database.save(zone, database.operation("update", "b", ["n": 1]))
            try await database.save(zone, database.operation("delete", "a.1"))
            try await database.save(zone, database.operation("update", "q.1", parent: "shelf"))
            try await database.save(zone, database.operation("forceDelete", "P"))
            let forwards = try await writer.feed(since: start.token).names
            let backwards = try await writer.feed(since: start.token, limit: limit, reverse: true)
            #expect(Set(forwards) == ["a", "-a.1", "-q.1", "-p", "-album", "-P"])
            #expect(backwards.names == forwards.reversed())
            #expect(try await writer.feed(since: backwards.token).names == [])
            #expect(try await writer.feed(since: backwards.token, reverse: true).names == [])
        }
    }

    @Test func changesDuringAReverseWalkFollowAfterItsEnd() async throws {
        try await SharedScene.with { scene in
            let (database, zone, writer) = (scene.database, scene.zone, scene.writer)
            let all = Set(try await writer.feed().names)
            var names: [String] = []
            var page = try await writer.page(since: nil, limit: 5, reverse: true)
            // The records of the shares, which other users accepted later, and the share that was accepted last.
            #expect(Set(page.changes) == ["S", "P", "B", "box", "q.1"])
            // A record that was not delivered yet changes, and one that was delivered is deleted.
            try await database.save(zone, database.operation("update", "list", ["n": 1]))
            try await database.save(zone, database.operation("delete", "q.1"))
            while true {
                names += page.changes
                let token = try #require(page["syncToken"]?.string)
                if page["moreComing"] != true {
                    let later = try await writer.feed(since: token).names
                    #expect(later == ["list", "-q.1"])
                    #expect(Set(names + later).subtracting(["-q.1"]) == all)
                    #expect(!names.contains("list"))
                    return
                }
                // A token of a walk that began backwards continues it.
                page = try await writer.page(since: token, limit: 5)
            }
        }
    }

    @Test func aZoneThatIsSharedAsAWholeIsReadNewestFirst() async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(
                zone, database.operation("create", "a"), database.operation("create", "b"),
                database.operation("create", "c"))
            let reader = SharedReader(database, "b")
            try await database.save(
                zone,
                database.share(
                    "create", "cloudkit.zoneshare", of: nil, participants: [RecordDatabase.participant(reader.user)]))
            try await reader.accept("cloudkit.zoneshare", in: zone)
            let forwards = try await reader.feed()
            for limit in [1, 2, 200] {
                let backwards = try await reader.feed(limit: limit, reverse: true)
                #expect(backwards.names == forwards.names.reversed())
                #expect(backwards.token == forwards.token)
            }
            try await database.save(
                zone, database.operation("update", "a", ["n": 1]), database.operation("delete", "b"))
            let news = try await reader.feed(since: forwards.token, limit: 1, reverse: true)
            #expect(news.names == ["-b", "a"])
            #expect(try await reader.feed(since: news.token).names == [])
        }
    }

    /// A walk that began before access was lost and gained again has expired, in both directions.
    @Test func aReverseWalkExpiresWithAnInterruption() async throws {
        try await SharedScene.with { scene in
            let (database, zone, writer) = (scene.database, scene.zone, scene.writer)
            let page = try await writer.page(since: nil, limit: 1, reverse: true)
            let token = try #require(page["syncToken"]?.string)
            for permission in ["NONE", "READ_WRITE"] {
                try await database.save(
                    zone,
                    database.share(
                        "update", "S", of: nil, tag: try await database.tag("S", in: zone),
                        participants: [RecordDatabase.participant(writer.user, permission)]))
            }
            #expect(try await writer.page(since: token, limit: 1)["reasonCode"] == "change_token_expired")
        }
    }
}
