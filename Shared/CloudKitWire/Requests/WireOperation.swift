package import CloudKitModel

/// One operation of `records/modify`. An invalid operation carries its error and does not affect the others.
package struct WireOperation: Hashable, Sendable {
    /// The kind of operation. If nil, `error` has the reason.
    package var kind: RecordOperation.Kind?
    /// An `operationType` that is not among the kinds.
    package var unknownKind: String?
    /// The record to operate on. If there is an `error`, only the name is set, where it could be read.
    package var record: WireRecord
    /// The fields to return from this operation; nil for those of the request.
    package var desiredKeys: [String]?
    /// Whether this operation returns numbers as strings; nil for the setting of the request.
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
    /// Validates an operation that was decoded completely, and returns the error, if any.
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
        do {
            _ = try RecordTypeName(validating: type)
            return nil
        } catch {
            // The same error as for a query of this type; only an empty name is an error of the request.
            return type.isEmpty ? ServerError(error, field: "recordType") : .recordTypeImpossible(type, error)
        }
    }
}
