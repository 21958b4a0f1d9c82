package import CloudKitModel

/// One operation of `records/modify`. An operation that is at fault carries its error and leaves the others alone.
package struct WireOperation: Hashable, Sendable {
    /// What to do; nil with an `error` that says why.
    package var kind: RecordOperation.Kind?
    /// The `operationType` that none of the kinds has.
    package var unknownKind: String?
    /// The record to do it to. Of an operation with an `error` only the name is filled, as far as it could be read.
    package var record: WireRecord
    /// The fields wanted back from this operation; nil leaves it to the request.
    package var desiredKeys: [String]?
    /// Whether numbers come back as strings from this operation; nil leaves it to the request.
    package var numbersAsStrings: Bool?
    /// Why the operation cannot be executed.
    package var error: ServerError?

    /// An operation to send.
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
    /// What is wrong with an operation whose every part could be read.
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
            // As a query for it is answered; only an empty name is a mistake of the request.
            return type.isEmpty ? ServerError(error, field: "recordType") : .recordTypeImpossible(type, error)
        }
    }
}
