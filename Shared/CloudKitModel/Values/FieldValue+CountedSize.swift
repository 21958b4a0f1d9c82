extension FieldValue {
    /// The number of bytes that the value contributes to a record's limit of 1 MiB.
    ///
    /// Apple does not publish its rule. Here, a string counts its UTF-8 bytes, bytes their number, a number or date
    /// 8, a location 64, a reference its names plus 1, a list its elements plus 2 for each, and an asset nothing.
    /// The caller adds the field's name (`countedSize(named:)`).
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

    /// The number of bytes that the field, name and value, contributes to the limit. The name of an asset field does
    /// not count either.
    package func countedSize(named name: String) -> Int {
        switch self {
        case .asset, .list(_, of: .asset): 0
        default: name.utf8.count + countedSize
        }
    }
}

extension Reference {
    /// The number of bytes that the reference contributes to the limit: its names in UTF-8, plus 1.
    package var countedSize: Int {
        let zone = zoneID.map { $0.zoneName.rawValue.utf8.count + ($0.ownerRecordName?.rawValue.utf8.count ?? 0) }
        return recordName.rawValue.utf8.count + (zone ?? 0) + 1
    }
}
