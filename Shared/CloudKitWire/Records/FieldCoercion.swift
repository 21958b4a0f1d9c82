package import CloudKitModel

extension WireField {
    /// Returns the field's value, converted to the type in the schema. The result is nil if the field is to be cleared.
    ///
    /// A type that the client declared must match the field's type. If the client declared no type, the value is
    /// converted as follows: an integer to DOUBLE or TIMESTAMP, a floating-point number without a fractional part to
    /// INT64 or TIMESTAMP, and base64 to BYTES. In a NUMBER field, a number keeps its kind.
    /// - Parameters:
    ///   - type: The field's type in the schema.
    ///   - recordType: The record type that is named in error messages.
    ///   - numbersAsStrings: Whether the client requests numbers as strings, and may therefore also send them as
    ///     strings.
    /// - Throws: a `BAD_REQUEST` error that names the field and both types.
    package func value(
        as type: FieldType, recordType: String, numbersAsStrings: Bool = false
    ) throws(ServerError) -> FieldValue? {
        guard let value else { return nil }
        if isEncrypted, !type.isEncrypted { throw .encryptedValueForPlainField(field: name) }
        if let declaredType {
            // Apple's message names ENCRYPTED_BYTES as the type of every plain value.
            if type.isEncrypted, !isEncrypted { throw mismatch("ENCRYPTED_BYTES", type, recordType) }
            guard type.accepts(declaredType) else {
                throw mismatch(declaredType.description, type, recordType)
            }
            return value
        }
        if case .list = value, !type.isList { throw .listForScalar(expected: type.description, field: name) }
        guard let coerced = Self.coerce(value, to: type, numbersAsStrings: numbersAsStrings) else {
            throw mismatch(value.type?.description ?? "UNKNOWN_LIST", type, recordType)
        }
        return coerced
    }

    private func mismatch(_ given: String, _ type: FieldType, _ recordType: String) -> ServerError {
        .wrongValueType(given, field: name, recordType: recordType, defined: type.description)
    }

    private static func coerce(_ value: FieldValue, to type: FieldType, numbersAsStrings: Bool) -> FieldValue? {
        guard case .list(let elements, _) = value else {
            return type.isList ? nil : coerce(value, to: type.base, numbersAsStrings: numbersAsStrings)
        }
        guard type.isList else { return nil }
        var coerced: [FieldValue] = []
        coerced.reserveCapacity(elements.count)
        for element in elements {
            guard let element = coerce(element, to: type.base, numbersAsStrings: numbersAsStrings) else { return nil }
            coerced.append(element)
        }
        return .list(coerced, of: type.base)
    }

    private static func coerce(
        _ value: FieldValue, to base: FieldType.Base, numbersAsStrings: Bool
    ) -> FieldValue? {
        switch (value, base) {
        case (_, value.type?.base): value
        case (.int64(let number), .double): .double(Double(number))
        case (.int64(let number), .timestamp): .timestamp(number)
        case (.double(let number), .int64): Int64(equalTo: number).map(FieldValue.int64)
        case (.double(let number), .timestamp): Int64(equalTo: number).map(FieldValue.timestamp)
        case (.int64, .number), (.double, .number): value
        case (.string(var text), .bytes): text.withUTF8 { Base64.decode($0) }.map(FieldValue.bytes)
        case (.string(let text), .int64) where numbersAsStrings: Int64(text).map(FieldValue.int64)
        case (.string(let text), .timestamp) where numbersAsStrings: Int64(text).map(FieldValue.timestamp)
        case (.string(let text), .double) where numbersAsStrings: finite(text).map(FieldValue.double)
        case (.string(let text), .number) where numbersAsStrings:
            Int64(text).map(FieldValue.int64) ?? finite(text).map(FieldValue.double)
        default: nil
        }
    }

    /// Parses a finite number. `Double` also parses `nan`, `inf` and hexadecimal, which are not JSON numbers.
    private static func finite(_ text: String) -> Double? {
        guard text.utf8.allSatisfy({ "+-.0123456789eE".utf8.contains($0) }), let value = Double(text) else {
            return nil
        }
        return value.isFinite ? value : nil
    }
}
