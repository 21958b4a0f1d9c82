import CloudKitModel
import CloudKitWire
import Testing

@testable import PostgresClient
@testable import RecordService
@testable import RecordStorage

/// The uses of blobs that result from records.
struct AssetUseTests {
    static let type = RecordTypeSchema(
        id: RecordTypeID(3), name: "Photo", fields: ["n": .int64, "cover": .asset, "photos": .list(.asset)])
    static let key = RecordKey(zone: ZoneRow(5), name: "a")

    static func record(_ fields: String?) throws -> StoredRecord {
        let stamp = StoredRecord.Stamp(milliseconds: 1, user: "_u", device: "2")
        return StoredRecord(
            name: "a", type: type.id, changeSeq: 1, changeTag: "t",
            fields: try fields.map { try StoredFields(parsing: Array($0.utf8)) }, size: 1, parent: nil, created: stamp,
            modified: stamp)
    }

    static func changes(_ before: String?, _ after: String?, isOmitted: Bool = false) throws -> AssetUseChanges {
        AssetUseChanges(
            of: [key], from: [key: try record(before)], to: [key: try record(after)], omitted: isOmitted ? [key] : [],
            type: { _ in type })
    }

    static func text(_ uses: [AssetUse]) -> Set<String> { Set(uses.map { "\($0.field)[\($0.position)]=\($0.blob)" }) }

    static let one =
        #"{"cover":{"fileChecksum":"c1","blob":1},"photos":[{"fileChecksum":"c2","blob":2},{"blob":1}],"n":1}"#
    static let two = #"{"cover":{"fileChecksum":"c1","blob":1},"photos":[{"fileChecksum":"c3","blob":3}]}"#

    @Test func onlyTheDifferenceIsWritten() throws {
        let changes = try Self.changes(Self.one, Self.two)
        #expect(Self.text(changes.removed) == ["photos[0]=2", "photos[1]=1"])
        #expect(Self.text(changes.added) == ["photos[0]=3"])
        #expect(changes.cleared.isEmpty)
        let same = try Self.changes(Self.one, Self.one)
        #expect(AssetUseTable(EnvironmentRow(1)).write(same).isEmpty)
    }

    @Test func aTombstoneUsesNothing() throws {
        // There is one key for the record rather than one for each use, because a record may have thousands of uses.
        let gone = try Self.changes(Self.two, nil)
        #expect(gone.cleared.count == 1)
        #expect(gone.removed.isEmpty && gone.added.isEmpty)
        #expect(try Self.changes(nil, Self.two).removed.isEmpty)
        #expect(Self.text(try Self.changes(nil, Self.two).added) == ["cover[0]=1", "photos[0]=3"])
    }

    @Test func whatWasNotReadIsClearedAndMadeAnew() throws {
        let changes = try Self.changes("{}", Self.two, isOmitted: true)
        #expect(changes.cleared == [Self.key])
        #expect(changes.removed.isEmpty)
        #expect(Self.text(changes.added) == ["cover[0]=1", "photos[0]=3"])
    }

    @Test func droppedAreTheChecksumsThatAreNowhereInTheRecordAnyMore() throws {
        func dropped(_ before: String?, _ after: String?) throws -> [String] {
            Self.type.droppedAssets(from: try Self.record(before).fields, to: try Self.record(after).fields)
        }
        #expect(try dropped(Self.one, Self.two) == ["c2"])
        #expect(try dropped(Self.two, Self.one) == ["c3"])
        #expect(try dropped(Self.two, nil) == ["c1", "c3"])
        #expect(try dropped(nil, Self.one) == [])
        let moved = #"{"photos":[{"fileChecksum":"c1"},{"fileChecksum":"c1"},{"fileChecksum":"c3"}]}"#
        #expect(try dropped(Self.two, moved) == [])
        #expect(try dropped(moved, "{}") == ["c1", "c3"])
    }

    @Test(arguments: [
        (#"Key (blob)=(123) is not present in table "blob"."#, 123),
        (#"Schlüssel (blob)=(9223372036854775807) ist nicht in Tabelle »blob« vorhanden."#, Int64.max),
        ("Key is not present", nil),
    ])
    func aMissingBlobIsReadFromTheServersReport(detail: String, blob: Int64?) {
        var error = PostgresError(.server, sqlState: .foreignKeyViolation, message: "")
        error.diagnostics = PostgresError.Diagnostics(detail: detail, constraint: "asset_use_blob_fkey")
        #expect(error.missingBlob == blob)
        #expect(error.isOfMissingBlob && !error.isOfDeletedContainer)
        error.diagnostics?.constraint = "zone_database_fkey"
        #expect(error.missingBlob == nil)
        #expect(error.isOfDeletedContainer)
    }
}
