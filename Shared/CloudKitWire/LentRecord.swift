package import CloudKitModel

/// A record as a row of the database lends it: its texts are bytes that lie there, which nobody copied. It is of use only
/// as long as the row is lent.
package struct LentRecord {
    /// When, by whom and from where a record was created or modified.
    package struct Stamp {
        /// Milliseconds since 1970-01-01 UTC.
        let milliseconds: Int64
        /// The user's record name.
        let userRecordName: UnsafeRawBufferPointer
        /// The device.
        let deviceID: UnsafeRawBufferPointer

        /// A stamp of those parts.
        package init(
            milliseconds: Int64, userRecordName: UnsafeRawBufferPointer, deviceID: UnsafeRawBufferPointer
        ) {
            (self.milliseconds, self.userRecordName, self.deviceID) = (milliseconds, userRecordName, deviceID)
        }
    }

    let recordName: UnsafeRawBufferPointer
    let recordChangeTag: UnsafeRawBufferPointer
    let created: Stamp
    let modified: Stamp
    let parent: UnsafeRawBufferPointer?
    let fields: UnsafeRawBufferPointer

    /// A record of those parts. All texts are UTF-8; `fields` is what jsonb prints of an object of bare values.
    package init(
        recordName: UnsafeRawBufferPointer, recordChangeTag: UnsafeRawBufferPointer, created: Stamp, modified: Stamp,
        parent: UnsafeRawBufferPointer?, fields: UnsafeRawBufferPointer
    ) {
        self.recordName = recordName
        self.recordChangeTag = recordChangeTag
        self.created = created
        self.modified = modified
        self.parent = parent
        self.fields = fields
    }
}

/// What the dictionaries of all records of one type and zone have in common in an answer: it is written once, and copied
/// for each of them.
package struct RecordFrame: Sendable {
    /// The fields that are written.
    let types: FieldTypes
    /// From behind the name to the first field.
    let opening: [UInt8]
    /// What ends the dictionary.
    let closing: [UInt8]

    /// The frame of records of that type.
    ///
    /// - Parameters:
    ///   - zoneID: nil leaves the key out, as the public database does.
    ///   - desiredKeys: The fields wanted; nil is all.
    package init(recordType: String, types: FieldTypes, zoneID: ZoneID?, desiredKeys: Set<String>?) {
        self.types = desiredKeys.map { types.hiding(allBut: $0) } ?? types
        var writer = WireWriter()
        // The comma that is due behind the name.
        writer.null()
        writer.member("recordType", recordType)
        writer.key("fields")
        writer.beginObject()
        opening = Array(writer.bytes.dropFirst("null".utf8.count))
        writer = WireWriter()
        writer.null()
        if let zoneID {
            writer.key("zoneID")
            writer.zoneID(zoneID)
        }
        writer.endObject()
        closing = Array(writer.bytes.dropFirst("null".utf8.count))
    }
}

/// Record dictionaries straight from rows.
extension WireWriter {
    /// Writes a record dictionary as ``record(_:fields:types:desiredKeys:numbersAsStrings:downloadURL:)`` does, in one
    /// pass over the stored text.
    ///
    /// - Parameters:
    ///   - numbersAsStrings: Whether numbers are written in quotes.
    ///   - downloadURL: The address of an asset's bytes. Without it assets come without one.
    /// - Returns: Whether the frame's types have all of the record's fields. Those that they have not are left out.
    /// - Throws: `INTERNAL_ERROR` if the fields are no object.
    package mutating func record(
        _ record: LentRecord, in frame: RecordFrame, numbersAsStrings: Bool = false,
        downloadURL: ((Asset) -> String?)? = nil
    ) throws(ServerError) -> Bool {
        beginObject()
        literal("\"recordName\":")
        text(record.recordName)
        frame.opening.withUnsafeBufferPointer { append($0) }
        let isWhole = try fields(record.fields, of: frame.types, numbersAsStrings, downloadURL)
        literal("},\"pluginFields\":{},\"recordChangeTag\":")
        text(record.recordChangeTag)
        literal(",\"created\":")
        stamp(record.created)
        literal(",\"modified\":")
        stamp(record.modified)
        literal(",\"deleted\":false")
        if let parent = record.parent {
            literal(",\"parent\":{\"recordName\":")
            text(parent)
            literal("}")
        }
        frame.closing.withUnsafeBufferPointer { append($0) }
        return isWhole
    }

    /// Writes the members of a record's `fields`.
    private mutating func fields(
        _ json: UnsafeRawBufferPointer, of types: FieldTypes, _ numbersAsStrings: Bool,
        _ downloadURL: ((Asset) -> String?)?
    ) throws(ServerError) -> Bool {
        do throws(WireFault) {
            return try types.withCursor { cursor throws(WireFault) in
                try JSONScanner.scan(trusted: json.assumingMemoryBound(to: UInt8.self)) { scanner throws(WireFault) in
                    try fields(&scanner, &cursor, numbersAsStrings, downloadURL)
                }
            }
        } catch {
            throw .internalError(.storedRecordDamaged)
        }
    }

    @inline(__always)
    private mutating func fields(
        _ scanner: inout JSONScanner, _ cursor: inout FieldTypesCursor, _ numbersAsStrings: Bool,
        _ downloadURL: ((Asset) -> String?)?
    ) throws(WireFault) -> Bool {
        try scanner.open(UInt8(ascii: "{"))
        var (isFirst, isFirstWritten, isWhole) = (true, true, true)
        while let key = try scanner.nextKey(isFirst: &isFirst) {
            let name = UnsafeBufferPointer(start: scanner.base + key.start, count: key.count)
            _ = scanner.peek()
            let start = scanner.position
            try scanner.skipValue()
            // No name of ours has an escape.
            guard !key.isEscaped, let field = cursor.advance(to: name) else {
                isWhole = false
                continue
            }
            guard !field.isHidden else { continue }
            if !isFirstWritten { literal(",") }
            isFirstWritten = false
            let raw = UnsafeBufferPointer(start: scanner.base + start, count: scanner.position - start)
            let opening = UnsafeBufferPointer(rebasing: cursor.text[field.opening])
            if field.type.isCopied(raw), !numbersAsStrings {
                append(opening, raw, UnsafeBufferPointer(rebasing: cursor.text[field.closing]))
            } else {
                append(opening)
                changedValue(
                    ArraySlice(raw), type: field.type, numbersAsStrings: numbersAsStrings, downloadURL: downloadURL)
            }
        }
        return isWhole
    }

    private mutating func stamp(_ stamp: LentRecord.Stamp) {
        literal("{\"timestamp\":")
        int(stamp.milliseconds)
        literal(",\"userRecordName\":")
        text(stamp.userRecordName)
        literal(",\"deviceID\":")
        text(stamp.deviceID)
        literal("}")
    }
}

extension FieldTypes {
    /// These fields, those hidden that are not among `names`.
    func hiding(allBut names: Set<String>) -> FieldTypes {
        var types = self
        types.hide { !names.contains(name(of: $0)) }
        return types
    }
}
