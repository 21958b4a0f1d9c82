package import CloudKitModel
package import RecordStorage
package import RequestServing

/// A request that is done, and what it is answered.
package struct AnsweredWrite: Sendable {
    /// What a request is answered.
    package enum Content: Sendable {
        /// The outcome of its execution.
        case executed(WriteOutcome, SchemaSnapshot)
        /// The row of its first execution, and the records that it names as they are now.
        case repeated(RequestTable.Row, CurrentRecords, SchemaSnapshot)
        /// An error of the whole request.
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

    /// Renders the answer, which may have megabytes: when it is sent, and not before.
    ///
    /// - Parameters:
    ///   - downloads: the addresses of assets; nil if the answer contains none.
    ///   - maxBytes: the largest body of an answer.
    package func answer(downloads: AssetDownloads?, maxBytes: Int) -> Answer {
        switch content {
        case .executed(let outcome, let schema):
            ModifyAnswer(request: request, schema: schema, downloads: downloads, maxBytes: maxBytes).answer(outcome)
        case .repeated(let row, let current, let schema):
            ModifyAnswer(request: request, schema: schema, downloads: downloads, maxBytes: maxBytes)
                .again(row) { current[$0] }
        case .refused(let error): Answer(error: error, context: request.context)
        }
    }
}

/// The records that a transaction has read or written.
package struct CurrentRecords: Sendable {
    private let records: [RecordKey: StoredRecord]
    private let omitted: Set<RecordKey>

    /// Creates the records.
    ///
    /// - Parameter omitted: those whose fields were not read.
    package init(records: [RecordKey: StoredRecord], omitted: Set<RecordKey>) {
        self.records = records
        self.omitted = omitted
    }

    /// The record; nil when it was not read, or without its fields.
    subscript(_ key: RecordKey) -> StoredRecord? { omitted.contains(key) ? nil : records[key] }
}
