import CloudKitModel
import CloudKitWire

/// The error a closure threw; nil if none.
func serverError<Value>(_ body: () throws(ServerError) -> Value) -> ServerError? {
    do {
        _ = try body()
        return nil
    } catch {
        return error
    }
}

/// The text that a writer was made to write.
func written(_ body: (inout WireWriter) -> Void) -> String {
    var writer = WireWriter()
    body(&writer)
    return String(decoding: writer.bytes, as: UTF8.self)
}

/// The only operation of a `records/modify` body whose operation creates a record with `fields`.
func operation(fields: String) throws -> WireOperation {
    let body =
        #"{"operations":[{"operationType":"create","record":{"recordName":"n","recordType":"Note","fields":\#(fields)}}]}"#
    return try ModifyRecordsRequest(decoding: Array(body.utf8)).operations[0]
}

/// The field `f` of a record whose only field it is.
func field(_ dictionary: String) throws -> WireField {
    let operation = try operation(fields: #"{"f":\#(dictionary)}"#)
    if let error = operation.error { throw error }
    return operation.record.fields[0]
}

extension WireWriter {
    /// Writes a record with the types that `types` tells of its fields.
    mutating func record(
        _ envelope: RecordEnvelope, fields: StoredFields, types: (String) -> FieldType?,
        desiredKeys: Set<String>? = nil, numbersAsStrings: Bool = false, downloadURL: ((Asset) -> String?)? = nil
    ) {
        var known = FieldTypes()
        for name in fields.names {
            if let type = types(name) { known.set(name, type) }
        }
        record(
            envelope, fields: fields, types: known, desiredKeys: desiredKeys, numbersAsStrings: numbersAsStrings,
            downloadURL: downloadURL)
    }
}
