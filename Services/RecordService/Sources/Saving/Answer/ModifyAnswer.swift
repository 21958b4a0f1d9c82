internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// Renders the answer to `records.modify`, for both first and repeated requests.
struct ModifyAnswer {
    private let request: WriteRequest
    private let records: RecordAnswer
    private let rules: AccessRules
    private let maxBytes: Int

    /// - Parameter maxBytes: the maximum size of an answer's body, in bytes.
    init(request: WriteRequest, schema: SchemaSnapshot, downloads: AssetDownloads?, maxBytes: Int) {
        self.request = request
        self.maxBytes = maxBytes
        let roles = schema.roles(of: request.context.user, in: request.zone.database.environment)
        rules = AccessRules(request.context, customRoles: roles)
        records = RecordAnswer(
            zone: request.zone.address, reader: request.context.user, schema: schema, downloads: downloads)
    }

    /// Renders the answer to a request that has just been committed.
    ///
    /// - Parameter hidden: the positions of the operations whose records are written without their fields.
    func answer(_ outcome: WriteOutcome, hidden: Set<Int> = []) -> Answer {
        let body = request.body
        var writer = WireWriter(capacity: min(256 + request.delivery.body.count * 2, maxBytes))
        writer.requestID = request.context.requestID
        writer.isForWeb = request.context.isFromWeb
        // One byte is reserved for the closing brace.
        writer.maxBytes = maxBytes - 1
        var room = WireRoom(count: outcome.operations.count, reserve: RecordAnswer.shortBytes)
        writer.object { writer in
            if outcome.isAtomicFailure {
                writer.member("uuid", request.context.requestID)
                writer.errorMembers(.atomicBatchFailed(failed: culprits(outcome), of: outcome.operations.count))
            }
            writer.key("records")
            writer.array(outcome.operations.indices) { writer, index in
                let (operation, outcome) = (body.operations[index], outcome.operations[index])
                guard !hidden.contains(index) else { return writeShort(outcome, to: &writer) }
                let isWritten = room.take(weight: outcome.weight, in: &writer) { writer in
                    write(
                        outcome, desiredKeys: desiredKeys(outcome, of: operation),
                        numbersAsStrings: operation.numbersAsStrings ?? body.numbersAsStrings, to: &writer)
                }
                if !isWritten { writeShort(outcome, to: &writer) }
            }
        }
        var answer = Answer(
            status: outcome.isAtomicFailure ? ServerErrorCode.atomicError.httpStatus : 200, body: writer.bytes,
            failure: outcome.firstError, errorCodes: writer.errorCodes)
        if !outcome.isAtomicFailure { answer.shortBody = Answer.omitted }
        return answer
    }

    /// Writes an outcome without the fields of its record, which has been committed but does not fit in the answer.
    private func writeShort(_ outcome: OperationOutcome, to writer: inout WireWriter) {
        switch outcome {
        case .saved(let record): records.writeShort(record, to: &writer)
        case .deleted(let name): records.writeTombstone(name, to: &writer)
        case .failed(let error, let name, let server):
            let writeServer = server.map { server in
                { (writer: inout WireWriter) in records.writeShort(server, to: &writer) }
            }
            writer.itemError(error, recordName: name ?? "", serverRecord: writeServer)
        }
    }

    /// Returns the fields to write into an operation's answer; nil for all fields. If the user is allowed to change the
    /// record but not to read it, only fields that the operation names are written.
    private func desiredKeys(_ outcome: OperationOutcome, of operation: WireOperation) -> [String]? {
        let asked = operation.desiredKeys ?? request.body.desiredKeys
        guard case .saved(let record) = outcome, !isShown(record) else { return asked }
        return operation.record.fields.map(\.name).filter { asked?.contains($0) != false }
    }

    private func isShown(_ record: StoredRecord) -> Bool { rules.shows(record, of: records.schema.type(record.type)) }

    /// Renders the answer to a repeated request, from the row of the first execution.
    ///
    /// The row contains no field values. If the record has not changed since the first execution, the answer contains
    /// its fields. Otherwise, the answer contains the fields from the request; for a merge, these are only the changed
    /// fields. A participant who can no longer see the record gets no fields.
    func again(_ row: RequestTable.Row, _ current: CurrentRecords) -> Answer {
        guard row.bodyHash == request.bodyHash else {
            return Answer(error: .messageIDReused(), context: request.context)
        }
        if let refusal = OutcomeCodec.decodeRefusal(row.outcome) {
            // Only requests whose zone is missing are refused in this way.
            return Answer(error: refusal.about(zoneID: request.body.zoneID ?? .defaultZone), context: request.context)
        }
        guard let kept = OutcomeCodec.decode(row.outcome), kept.operations.count == request.body.operations.count else {
            return Answer(error: .internalError(.outcomeUnreadable), context: request.context)
        }
        var hidden: Set<Int> = []
        let operations = kept.operations.enumerated().map { index, operation -> OperationOutcome in
            switch operation {
            case .deleted(let name):
                return .deleted(name: name)
            case .failed(let error, let name):
                let key = name.map { RecordKey(zone: request.zone.row, name: $0) }
                let server =
                    error.code == .conflict
                    ? key.flatMap { current[$0] }.flatMap { $0.isTombstone || !isShown($0) ? nil : $0 } : nil
                return .failed(error, name: name, server: server)
            case .saved(let name, let type, let changeTag, let created, let modified, let link):
                let key = RecordKey(zone: request.zone.row, name: name)
                if let record = current[key], record.changeTag == changeTag { return .saved(record) }
                if current.hides(key) { hidden.insert(index) }
                let sent = request.body.operations[index].record
                let parent: RecordName? =
                    if !hidden.contains(index), case .set(let name) = sent.parent { name } else { nil }
                return .saved(
                    StoredRecord(
                        name: name, type: type, changeSeq: 0, changeTag: changeTag,
                        fields: sentFields(index, type: records.schema.type(type)), size: 0, parent: parent,
                        created: created, modified: modified, sharing: link.map(StoredSharing.init(link:))))
            }
        }
        return answer(
            WriteOutcome(operations: operations, isAtomicFailure: kept.isAtomicFailure), hidden: hidden)
    }

    private func sentFields(_ index: Int, type: RecordTypeSchema?) -> StoredFields {
        var fields = StoredFields()
        let operation = request.body.operations[index]
        let numbersAsStrings = operation.numbersAsStrings ?? request.body.numbersAsStrings
        for field in operation.record.fields {
            guard let type = type?.fields[field.name],
                let value = try? field.value(as: type, recordType: "", numbersAsStrings: numbersAsStrings)
            else { continue }
            fields.set(field.name, value)
        }
        return fields
    }

    private func culprits(_ outcome: WriteOutcome) -> Int {
        outcome.operations.count { operation in
            if case .failed(let error, _, _) = operation { error.code != .atomicError } else { false }
        }
    }

    private func write(
        _ outcome: OperationOutcome, desiredKeys: [String]?, numbersAsStrings: Bool, to writer: inout WireWriter
    ) {
        let desiredKeys = desiredKeys.map(Set.init)
        switch outcome {
        case .saved(let record):
            records.write(record, desiredKeys: desiredKeys, numbersAsStrings: numbersAsStrings, to: &writer)
        case .deleted(let name):
            records.writeTombstone(name, to: &writer)
        case .failed(let error, let name, let server):
            // The record returned with a conflict has no download URLs. A client that needs the assets must look up the
            // record (semantics 4.2).
            var records = records
            records.downloads = nil
            let writeServer = server.map { [records] server in
                { (writer: inout WireWriter) in
                    records.write(server, desiredKeys: desiredKeys, numbersAsStrings: numbersAsStrings, to: &writer)
                }
            }
            writer.itemError(error, recordName: name ?? "", serverRecord: writeServer)
        }
    }
}

extension OperationOutcome {
    /// The approximate size of the fields in the answer, in bytes.
    fileprivate var weight: Int {
        switch self {
        case .saved(let record): record.size
        case .failed(_, _, let server): server?.size ?? 0
        case .deleted: 0
        }
    }
}

extension WriteOutcome {
    /// The first error that is not a consequence of another operation's failure; if there is none, the first error.
    fileprivate var firstError: ServerError? {
        let errors = operations.compactMap { operation in
            if case .failed(let error, _, _) = operation { error } else { nil }
        }
        return errors.first { $0.code != .atomicError } ?? errors.first
    }
}
