import CloudKitModel
import CloudKitWire
import Testing

/// Returns the error that a closure throws; nil if it throws none.
func serverError<Value>(_ body: () throws(ServerError) -> Value) -> ServerError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

/// Returns the text that `body` writes.
func written(_ body: (inout WireWriter) -> Void) -> String {
    var writer = WireWriter()
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}

/// Returns the only operation of a `records/modify` body, which creates a record with `fields`.
func operation(fields: String) throws -> WireOperation {
    let body =
        #"{"operations":[{"operationType":"create","record":{"recordName":"n","recordType":"Note","fields":\#(fields)}}]}"#
    return try ModifyRecordsRequest(decoding: Array(body.utf8)).operations[0]
}

/// Returns the only field, `f`, of a record.
func field(_ dictionary: String) throws -> WireField {
    let operation = try operation(fields: #"{"f":\#(dictionary)}"#)
    if let error = operation.error { throw error }
    return operation.record.fields[0]
}

extension WireWriter {
    /// Writes a record whose fields have the types in `types`, and expects the same output from it as a row.
    mutating func record(
        _ envelope: RecordEnvelope, fields: StoredFields, types: (String) -> FieldType?,
        desiredKeys: Set<String>? = nil, numbersAsStrings: Bool = false, downloadURL: ((Asset) -> String?)? = nil
    ) {
        var known = FieldTypes()
        for name in fields.names {
            if let type = types(name) { known.set(name, type) }
        }
        var writer = WireWriter()
        writer.record(
            envelope, fields: fields, types: known, desiredKeys: desiredKeys, numbersAsStrings: numbersAsStrings,
            downloadURL: downloadURL)
        raw(writer.bytes)
        // A row has no short GUID.
        guard envelope.sharing == nil else { return }
        let frame = RecordFrame(
            recordType: envelope.recordType, types: known, zoneID: envelope.zoneID, desiredKeys: desiredKeys)
        var rows = WireWriter()
        let isWhole = rows.row(
            envelope, fields.encoded(), frame, numbersAsStrings: numbersAsStrings, downloadURL: downloadURL)
        #expect(rows.bytes == writer.bytes)
        #expect(isWhole == fields.names.allSatisfy { types($0) != nil })
    }

    /// Writes a record in the form of a row; returns nil if its fields are damaged.
    mutating func row(
        _ envelope: RecordEnvelope, _ fields: [UInt8], _ frame: RecordFrame, numbersAsStrings: Bool = false,
        downloadURL: ((Asset) -> String?)? = nil
    ) -> Bool? {
        let texts = [
            envelope.recordName.rawValue, envelope.recordChangeTag, envelope.created.userRecordName,
            envelope.created.deviceID,
            envelope.modified.userRecordName, envelope.modified.deviceID, envelope.parent?.rawValue ?? "",
        ]
        let lent = UnsafeMutableRawBufferPointer.allocate(
            byteCount: texts.reduce(fields.count) { $0 + $1.utf8.count }, alignment: 1)
        defer { lent.deallocate() }
        var end = 0
        func lend(_ bytes: some Collection<UInt8>) -> UnsafeRawBufferPointer {
            let start = end
            for byte in bytes {
                lent[end] = byte
                end += 1
            }
            return UnsafeRawBufferPointer(rebasing: lent[start..<end])
        }
        let parts = texts.map { lend($0.utf8) }
        let record = LentRecord(
            recordName: parts[0], recordChangeTag: parts[1],
            created: .init(
                milliseconds: envelope.created.timestamp, userRecordName: parts[2], deviceID: parts[3]),
            modified: .init(
                milliseconds: envelope.modified.timestamp, userRecordName: parts[4], deviceID: parts[5]),
            parent: envelope.parent == nil ? nil : parts[6], fields: lend(fields))
        return try? self.record(record, in: frame, numbersAsStrings: numbersAsStrings, downloadURL: downloadURL)
    }
}
