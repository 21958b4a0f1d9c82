package import CloudKitModel

/// One operation of `records/modify`. An invalid operation contains its error and does not affect the other operations.
package struct WireOperation: Hashable, Sendable {
    /// The kind of operation; nil if the client sent no kind or an unknown kind.
    package var kind: RecordOperation.Kind?
    /// The `operationType`, if it is unknown.
    package var unknownKind: String?
    /// The record to operate on. If the content of the operation cannot be decoded, at most the record's name is set.
    package var record: WireRecord
    /// The fields that this operation returns; nil for the request's ``ModifyRecordsRequest/desiredKeys``.
    package var desiredKeys: [String]?
    /// Whether this operation returns numbers as strings; nil for the request's setting.
    package var numbersAsStrings: Bool?
    /// The reason why the operation cannot be executed.
    package var error: ServerError?

    /// Creates an operation to send.
    package init(
        _ kind: RecordOperation.Kind?, _ record: WireRecord, desiredKeys: [String]? = nil,
        numbersAsStrings: Bool? = nil
    ) {
        self.kind = kind
        self.record = record
        self.desiredKeys = desiredKeys
        self.numbersAsStrings = numbersAsStrings
    }
}

extension WireOperation {
    /// Validates an operation that was decoded completely. Returns the error, or nil if the operation is valid.
    func shortcoming() -> ServerError? {
        if let unknownKind {
            return ServerError(.unknownOperation, "Unknown operationType '\(unknownKind)'", field: "operationType")
        }
        guard let kind else { return .missingKey("operationType") }
        do {
            if let name = record.recordName {
                _ = try RecordName(
                    validating: name.rawValue, allowsSystem: !kind.mayCreate || record.recordType == "Users")
            } else if !kind.mayCreate {
                return .missingKey("recordName")
            }
            if case .set(let parent) = record.parent {
                _ = try RecordName(validating: parent.rawValue, allowsSystem: true)
            }
        } catch {
            return ServerError(error, field: "recordName")
        }
        guard !kind.isDelete else { return nil }
        guard let type = record.recordType else { return kind == .create ? .missingKey("recordType") : nil }
        if let error = record.shareKeyError(recordType: type) { return error }
        do {
            _ = try RecordTypeName(validating: type)
            return nil
        } catch {
            // The error is the same as for a query for this type, unless the name is empty.
            return type.isEmpty ? ServerError(error, field: "recordType") : .recordTypeImpossible(type, error)
        }
    }
}

extension WireRecord {
    /// Returns the error for a record that is not a share but has a key or field that only shares have; otherwise nil.
    package func shareKeyError(recordType: String) -> ServerError? {
        guard recordType != RecordTypeName.share.rawValue else { return nil }
        if let key = share.firstKey { return .notShare(field: key) }
        do throws(ValidationError) {
            for field in fields where FieldName.isOfShare(field.name) { _ = try FieldName(validating: field.name) }
            return nil
        } catch {
            return ServerError(error, field: fields.first { FieldName.isOfShare($0.name) }?.name)
        }
    }
}
