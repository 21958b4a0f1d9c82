import ServiceMessages

/// A line of an import: a web-services operation on a record.
struct ImportLine: Sendable, Equatable {
    /// The identity of a record.
    struct Key: Hashable {
        let zone: String
        let recordName: String
    }

    /// The line's number in the file, starting at 1.
    var number: Int
    /// The operation's JSON, without the newline.
    var bytes: [UInt8]
    /// The zone.
    var zone: String
    /// The name of the record; nil if the service generates it.
    var recordName: String?
    /// Whether the operation is a deletion.
    var isDelete = false
    /// The checksums of the record's assets that have no receipt.
    var assets: [AssetChecksum] = []

    /// The identity of the record; nil if the service generates its name.
    var key: Key? { recordName.map { Key(zone: zone, recordName: $0) } }
}
