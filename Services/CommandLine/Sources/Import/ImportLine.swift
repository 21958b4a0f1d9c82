import ServiceMessages

/// One line of an import: a web-services operation on a record, as it was written.
struct ImportLine: Sendable, Equatable {
    /// A record, as the import tells them apart.
    struct Key: Hashable {
        let zone: String
        let recordName: String
    }

    /// The line's number in the file, from 1.
    var number: Int
    /// The operation's JSON, without the line's end.
    var bytes: [UInt8]
    /// The zone it goes into.
    var zone: String
    /// The record the operation is about; nil if the service is to make a name.
    var recordName: String?
    /// Whether it deletes.
    var isDelete = false
    /// The contents of its assets that come without a receipt.
    var assets: [AssetChecksum] = []

    /// The record; nil if the service is to make a name.
    var key: Key? { recordName.map { Key(zone: zone, recordName: $0) } }
}
