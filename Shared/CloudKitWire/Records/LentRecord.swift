package import CloudKitModel

/// A record borrowed from a database row. Its strings point into the row and are not copied, so the record is valid
/// only as long as the row is.
package struct LentRecord {
    /// The time, user and device of a record's creation or last modification.
    package struct Stamp {
        /// Milliseconds since 1970-01-01 UTC.
        let milliseconds: Int64
        /// The user's record name.
        let userRecordName: UnsafeRawBufferPointer
        /// The device's identifier.
        let deviceID: UnsafeRawBufferPointer

        /// Creates a stamp.
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
    let sharing: SharingEnvelope?

    /// Creates a record. All strings are UTF-8. `fields` is the text of a jsonb object of bare values, as PostgreSQL
    /// prints it.
    package init(
        recordName: UnsafeRawBufferPointer, recordChangeTag: UnsafeRawBufferPointer, created: Stamp, modified: Stamp,
        parent: UnsafeRawBufferPointer?, fields: UnsafeRawBufferPointer, sharing: SharingEnvelope? = nil
    ) {
        self.recordName = recordName
        self.recordChangeTag = recordChangeTag
        self.created = created
        self.modified = modified
        self.parent = parent
        self.fields = fields
        self.sharing = sharing
    }
}

/// The parts of a record dictionary that are the same for all records of one type and zone. They are written once and
/// copied into each record.
package struct RecordFrame: Sendable {
    /// The fields to write.
    let types: FieldTypes
    /// The JSON between the record's name and the first field.
    let opening: [UInt8]
    /// The JSON that ends the dictionary.
    let closing: [UInt8]

    /// Creates the frame for records of a type.
    ///
    /// - Parameters:
    ///   - zoneID: The zone. If nil, the key is omitted, as in the public database.
    ///   - desiredKeys: The fields to return; nil for all.
    package init(recordType: String, types: FieldTypes, zoneID: ZoneID?, desiredKeys: Set<String>?) {
        self.types = desiredKeys.map { types.hiding(allBut: $0) } ?? types
        var writer = WireWriter()
        // The null makes the writer insert the comma that is required after the name.
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

/// Writes record dictionaries directly from rows.
extension WireWriter {
    /// Writes the same record dictionary as
    /// ``record(_:fields:types:desiredKeys:numbersAsStrings:downloadURL:fieldsOmitted:)``, in one pass over the stored
    /// text.
    ///
    /// - Parameters:
    ///   - numbersAsStrings: Whether numbers are written in quotes.
    ///   - downloadURL: Returns the download URL of an asset. If nil, assets have no download URL.
    /// - Returns: False if the record has fields whose types are not in the frame. These fields are omitted.
    /// - Throws: `INTERNAL_ERROR` if the stored fields are not an object.
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
        if let sharing = record.sharing { members(of: sharing) }
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
            // Names stored by the service contain no escapes.
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
    /// Returns these fields, with all except `names` hidden.
    func hiding(allBut names: Set<String>) -> FieldTypes {
        var types = self
        types.hide { !names.contains(name(of: $0)) }
        return types
    }
}
