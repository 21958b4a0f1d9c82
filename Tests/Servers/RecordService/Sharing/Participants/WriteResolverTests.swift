import CloudKitModel
import CloudKitWire
import RequestServing
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

/// Which writes in the shared database reach the lane of a zone.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(5)))
struct WriteResolverTests {
    @Test func onlyWritesOfUsersWithAccessGetTheirZone() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let database = scene.database
            let users = [
                (scene.writer, true), (scene.reader, true), (scene.other, true), (scene.invited, false),
                (scene.removed, false), (scene.stranger, false),
            ]
            let resolver = WriteResolver(pool: database.pool, directory: database.store.directory)
            func resolve(_ zone: String) async throws -> [WriteRequest?] {
                let writes = try users.map { user, _ in
                    try user.unresolved(zone, [database.operation("forceDelete", "a")])
                }
                return try await resolver.resolve(writes, in: writes[0].context.container)
            }
            let found = try await resolve("Z")
            #expect(found.map { $0?.zone.row } == users.map { user in user.1 ? scene.zone.row : nil })
            #expect(found.compactMap { $0?.context.user } == users.filter { $0.1 }.map { $0.0.user })
            #expect(try await resolve("None").allSatisfy { $0 == nil })
        }
    }

    @Test func accessIsReadForEachWrite() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let (database, reader) = (scene.database, scene.reader)
            let resolver = WriteResolver(pool: database.pool, directory: database.store.directory)
            func isResolved() async throws -> Bool {
                let write = try reader.unresolved("Z", [database.operation("update", "a")])
                return try await resolver.resolve([write], in: write.context.container)[0] != nil
            }
            #expect(try await isResolved())
            let tag = try await database.tag("S", in: scene.zone)
            let writer = RecordDatabase.participant(scene.writer.user)
            try await database.save(
                scene.zone, database.share("update", "S", of: nil, tag: tag, participants: [writer]))
            #expect(try await !isResolved())
        }
    }

    @Test func aWriteWithoutAccessIsAnsweredLikeAWriteToAMissingZone() async throws {
        try await SharedScene.with { (scene: SharedScene) async throws in
            let database = scene.database
            for user in [scene.invited, scene.removed, scene.stranger] {
                for id in ["m1", "m1", "m2"] {
                    let operation = database.operation("forceDelete", "a")
                    let hidden = try await user.modifyMissing("Z", operation, messageID: id + user.user + "Z")
                    let missing = try await user.modifyMissing("None", operation, messageID: id + user.user + "N")
                    #expect(hidden["ckErrorCode"] == 26, "\(hidden)")
                    #expect(SharedReader.text(hidden, without: "Z") == SharedReader.text(missing, without: "None"))
                }
            }
            #expect(try await database.record("a", in: scene.zone)["recordName"] == "a")
        }
    }
}
