import CloudKitModel
import CloudKitWire
import RequestServing
import Testing

@testable import RecordService
@testable import RecordStorage

/// Zone `Z` of the owner with three shares, and users who have accepted some of them.
///
/// - `list`, below the hidden `shelf`, with `a` and `a.1`, is shared by `S`
/// - `album` with `p` is shared by `P`
/// - `box` with `q.1` is shared by `B`
/// - `shelf` with `b` is not shared
struct SharedScene: Sendable {
    let database: RecordDatabase
    let zone: ZoneEntry
    /// May write `S` and `B`, and read `P`.
    let writer: SharedReader
    /// May read `S`.
    let reader: SharedReader
    /// May write `P`.
    let other: SharedReader
    /// Is invited to `S`.
    let invited: SharedReader
    /// Was removed from `S`.
    let removed: SharedReader
    /// Is no participant.
    let stranger: SharedReader

    static func with(_ body: @escaping @Sendable (SharedScene) async throws -> Void) async throws {
        try await RecordDatabase.with { database in
            let zone = try await database.zone()
            try await database.save(
                zone, database.operation("create", "shelf"), database.operation("create", "b", parent: "shelf"),
                database.operation("create", "list", parent: "shelf"),
                database.operation("create", "a", parent: "list"), database.operation("create", "a.1", parent: "a"),
                database.operation("create", "album"), database.operation("create", "p", parent: "album"),
                database.operation("create", "box"), database.operation("create", "q.1", parent: "box"))
            func user(_ digit: Character, _ permission: String = "READ_WRITE") -> JSONValue {
                RecordDatabase.participant(RecordDatabase.user(digit), permission)
            }
            try await database.save(
                zone,
                database.share(
                    "create", "S", of: "list",
                    participants: [user("b"), user("c", "READ_ONLY"), user("d"), user("e")]),
                database.share("create", "P", of: "album", participants: [user("b", "READ_ONLY"), user("9")]),
                database.share("create", "B", of: "box", participants: [user("b")]))
            let scene = SharedScene(
                database: database, zone: zone, writer: SharedReader(database, "b"),
                reader: SharedReader(database, "c"), other: SharedReader(database, "9"),
                invited: SharedReader(database, "d"), removed: SharedReader(database, "e"),
                stranger: SharedReader(database, "f"))
            for share in ["S", "P", "B"] { try await scene.writer.accept(share, in: zone) }
            try await scene.reader.accept("S", in: zone)
            try await scene.other.accept("P", in: zone)
            try await scene.removed.accept("S", in: zone)
            let tag = try await database.tag("S", in: zone)
            try await database.save(
                zone,
                database.share(
                    "update", "S", of: nil, tag: tag, participants: [user("b"), user("c", "READ_ONLY"), user("d")]))
            try await body(scene)
        }
    }
}
