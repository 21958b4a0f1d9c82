package import CloudKitModel

extension StoredFields {
    /// Returns the size of the fields as counted towards a record's size limit, in bytes, and the three largest fields,
    /// largest first. Follows the same rule as `FieldValue.countedSize(named:)`. Only references, lists and strings
    /// with escapes are decoded.
    /// - Parameter types: Returns the type of a field. A field for which it returns nil is not counted.
    package func countedSize(
        types: (String) -> FieldType?
    ) -> (total: Int, largest: [(name: String, bytes: Int)]) {
        var total = 0
        var largest: [(name: String, bytes: Int)] = []
        forEach { name, raw in
            guard let type = types(name), type.base != .asset else { return }
            let bytes = name.utf8.count + Self.countedSize(of: raw, type: type)
            total += bytes
            if largest.count < 3 || bytes > largest[2].bytes {
                let position = largest.firstIndex { $0.bytes < bytes } ?? largest.count
                largest.insert((name, bytes), at: position)
                if largest.count > 3 { largest.removeLast() }
            }
        }
        return (total, largest)
    }

    private static func countedSize(of raw: ArraySlice<UInt8>, type: FieldType) -> Int {
        switch (type.base, type.isList) {
        case (.int64, false), (.double, false), (.timestamp, false), (.number, false): return 8
        case (.location, false): return 64
        case (.string, false): return textSize(raw)
        case (.bytes, false):
            // Four characters encode three bytes. Each padding `=` stands for a missing byte.
            return (raw.count - 2) / 4 * 3 - raw.suffix(3).count { $0 == UInt8(ascii: "=") }
        default:
            let value = try? JSONScanner.scan(trusted: raw) { scanner throws(WireFault) in try scanner.value(as: type) }
            return value?.countedSize ?? raw.count
        }
    }

    /// Returns the UTF-8 length of a JSON string after unescaping.
    private static func textSize(_ raw: ArraySlice<UInt8>) -> Int {
        guard raw.contains(UInt8(ascii: "\\")) else { return raw.count - 2 }
        let text = try? JSONScanner.scan(trusted: raw) { scanner throws(WireFault) in
            try scanner.text(scanner.stringToken())
        }
        return text?.utf8.count ?? raw.count
    }
}
