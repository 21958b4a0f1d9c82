extension FieldValue {
    /// What the value counts towards a record's megabyte, in bytes.
    ///
    /// Apple does not publish how it counts. Here: text in UTF-8, bytes as they are, numbers and dates 8, a
    /// location 64, a reference its names and 1, a list its elements and 2 for each, an asset nothing. The field's
    /// name is the caller's to add (`countedSize(named:)`).
    package var countedSize: Int {
        switch self {
        case .string(let text): text.utf8.count
        case .int64, .double, .timestamp: 8
        case .bytes(let bytes): bytes.count
        case .reference(let reference): reference.countedSize
        case .asset: 0
        case .location: 64
        case .list(let elements, _): elements.reduce(0) { $0 + 2 + $1.countedSize }
        }
    }

    /// The whole field's share of the megabyte: name and value, in bytes. An asset's name does not count either.
    package func countedSize(named name: String) -> Int {
        switch self {
        case .asset, .list(_, of: .asset): 0
        default: name.utf8.count + countedSize
        }
    }
}

extension Reference {
    /// What the reference counts towards a record's megabyte: its names in UTF-8, and 1.
    package var countedSize: Int {
        let zone = zoneID.map { $0.zoneName.rawValue.utf8.count + ($0.ownerRecordName?.rawValue.utf8.count ?? 0) }
        return recordName.rawValue.utf8.count + (zone ?? 0) + 1
    }
}
