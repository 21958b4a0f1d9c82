package import CloudKitModel
internal import CloudKitWire
package import RecordStorage
package import RequestServing

/// A request whose outcome has been decided, with the content of its answer.
package struct AnsweredWrite: Sendable {
    /// The content of an answer.
    package enum Content: Sendable {
        /// The outcome of the request's execution.
        case executed(WriteOutcome, SchemaSnapshot)
        /// The row of the first execution of a repeated request, and the current state of the records that it names.
        case repeated(RequestTable.Row, CurrentRecords, SchemaSnapshot)
        /// The error for a request that was refused as a whole.
        case refused(ServerError)
    }

    /// The request.
    package let request: WriteRequest
    private let content: Content

    /// Creates an answered request.
    package init(_ request: WriteRequest, _ content: Content) {
        self.request = request
        self.content = content
    }

    /// Returns the errors of the request's operations, in order; nil for operations that succeeded.
    ///
    /// - Throws: the error with which the whole request was refused.
    func failures() throws(ServerError) -> [ServerError?] {
        switch content {
        case .executed(let outcome, _):
            return outcome.operations.map { if case .failed(let error, _, _) = $0 { error } else { nil } }
        case .repeated(let row, _, _):
            guard row.bodyHash == request.bodyHash else { throw .messageIDReused() }
            guard let kept = OutcomeCodec.decode(row.outcome), kept.operations.count == request.body.operations.count
            else { throw .internalError(.outcomeUnreadable) }
            return kept.operations.map { if case .failed(let error, _) = $0 { error } else { nil } }
        case .refused(let error): throw error
        }
    }

    /// Renders the answer. It can be several megabytes, so it is rendered only when it is sent.
    ///
    /// - Parameters:
    ///   - downloads: issues the download URLs of assets; nil if the answer contains no URLs.
    ///   - maxBytes: the maximum size of an answer's body, in bytes.
    package func answer(downloads: AssetDownloads?, maxBytes: Int) -> Answer {
        switch content {
        case .executed(let outcome, let schema):
            ModifyAnswer(request: request, schema: schema, downloads: downloads, maxBytes: maxBytes).answer(outcome)
        case .repeated(let row, let current, let schema):
            ModifyAnswer(request: request, schema: schema, downloads: downloads, maxBytes: maxBytes)
                .again(row, current)
        case .refused(let error): Answer(error: error, context: request.context)
        }
    }
}

/// The records that a transaction has read or written.
package struct CurrentRecords: Sendable {
    private let records: [RecordKey: StoredRecord]
    private let omitted: Set<RecordKey>
    /// The access of a participant; nil if the reader may see every record.
    private var access: ShareAccess?

    /// Creates a collection of records.
    ///
    /// - Parameter omitted: the records whose fields were not read.
    package init(records: [RecordKey: StoredRecord], omitted: Set<RecordKey>) {
        self.records = records
        self.omitted = omitted
    }

    /// The record; nil if it was not read, was read without its fields, or is hidden.
    subscript(_ key: RecordKey) -> StoredRecord? { omitted.contains(key) || hides(key) ? nil : records[key] }

    /// Returns the records that a participant may see or, if `access` is nil, all records.
    func shown(to access: ShareAccess?) -> CurrentRecords {
        var shown = self
        shown.access = access
        return shown
    }

    /// Whether the reader is a participant who cannot, or can no longer, see the record.
    func hides(_ key: RecordKey) -> Bool {
        guard let access else { return false }
        return records[key].map { !access.sees($0) } ?? true
    }
}
