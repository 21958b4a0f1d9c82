extension CKRecord {
    /// About how many bytes of a request the record takes. The files of assets are sent apart and count little.
    var approximateSize: Int {
        state.withLock { $0.fields.values.reduce(200) { $0 + $1.key.utf8.count + 20 + $1.value.approximateSize } }
    }
}

extension FieldContent {
    fileprivate var approximateSize: Int {
        switch self {
        case .string(let value): value.utf8.count + 10
        case .data(let value): value.count * 4 / 3 + 10
        case .number, .date: 20
        case .location, .reference: 200
        case .asset: 500
        case .list(let elements): elements.reduce(10) { $0 + $1.approximateSize }
        }
    }
}
