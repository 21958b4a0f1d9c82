extension FieldValue {
    /// The number of bytes that the value contributes to a record's limit of 1 MiB.
    ///
    /// Apple does not publish its rule. Here, a string counts as its length in UTF-8 bytes, BYTES as the number of
    /// bytes, a number or date as 8, a location as 64, a reference as the UTF-8 length of its names plus 1, a list as
    /// the sum of its elements' sizes plus 2 for each element, and an asset as 0. The name of the field is not included
    /// (see `countedSize(named:)`).
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

    /// Returns the number of bytes that a field, with its name and value, contributes to the limit. An asset field
    /// contributes nothing, not even its name.
    package func countedSize(named name: String) -> Int {
        switch self {
        case .asset, .list(_, of: .asset): 0
        default: name.utf8.count + countedSize
        }
    }
}

extension Reference {
    /// The number of bytes that the reference contributes to the limit: the UTF-8 bytes of its names, plus 1.
    package var countedSize: Int {
        let zone = zoneID.map { $0.zoneName.rawValue.utf8.count + ($0.ownerRecordName?.rawValue.utf8.count ?? 0) }
        return recordName.rawValue.utf8.count + (zone ?? 0) + 1
    }
}
