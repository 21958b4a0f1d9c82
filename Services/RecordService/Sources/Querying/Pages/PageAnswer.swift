internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// The answer that tells a page of a query.
struct PageAnswer {
    /// What an answer has besides its records, roughly.
    private static let frameBytes = 1024
    /// What an answer has of a record besides its fields' names and values, roughly.
    private static let envelopeBytes = 1024

    let page: QueryRunner.Page<QueryRunner.Found>
    /// Where the next page begins; nil: there is none.
    let marker: String?
    let body: QueryRecordsRequest
    let plan: QueryPlan
    let context: RequestContext
    let downloads: AssetDownloads?
    let maxBytes: Int
    /// What is kept free for marker and warnings.
    private static let closingBytes = 64 << 10

    /// Tells the records, straight from their rows where there are any.
    ///
    /// A record that has no room even alone stands there as its error: the walk goes past it.
    ///
    /// - Returns: the answer; how many of the records had room, if not all; and whether the schema that came with the page has all
    ///   of the records' fields. Those that it has not are left out.
    /// - Throws: `INTERNAL_ERROR` when what is stored is no record's.
    func written() throws -> (answer: Answer, fitting: Int?, isWhole: Bool) {
        let desiredKeys = body.desiredKeys.map(Set.init)
        var zones: [ZoneRow: RecordAnswer.Rows] = [:]
        func rows(of zone: ZoneRow) -> RecordAnswer.Rows {
            if let known = zones[zone] { return known }
            let rows = records(of: zone).rows(
                of: plan.target.type.id, desiredKeys: desiredKeys, numbersAsStrings: body.numbersAsStrings)
            zones[zone] = rows
            return rows
        }
        var isWhole = true
        var fitting: Int?
        let answer = try Answer(capacity: capacity, maxBytes: maxBytes) { writer in
            writer.key("records")
            writer.beginArray()
            for (index, found) in page.found.enumerated() {
                let isWritten = try writer.attempt(reserving: Self.closingBytes) { writer in
                    switch found {
                    case .row(let row):
                        if try !rows(of: row.zone).write(row, to: &writer) { isWhole = false }
                    case .record(let record, let zone):
                        records(of: zone).write(
                            record, desiredKeys: desiredKeys, numbersAsStrings: body.numbersAsStrings, to: &writer)
                    }
                }
                guard !isWritten else { continue }
                if page.found.count == 1 {
                    writer.itemError(.replyTooLarge(maxBytes), recordName: found.key.name)
                } else {
                    fitting = max(index, 1)
                    break
                }
            }
            writer.endArray()
            writer.member("continuationMarker", marker)
            if !plan.warnings.isEmpty { writer.member("warnings", plan.warnings) }
        }
        return (answer, fitting, isWhole)
    }

    /// About how many bytes the answer has. How much of a record's fields the desired ones are is not known.
    private var capacity: Int {
        let fieldBytes = body.desiredKeys == nil ? page.found.reduce(0) { $0 + $1.fieldBytes } : 0
        return Self.frameBytes + page.found.count * Self.envelopeBytes + fieldBytes
    }

    private func records(of zone: ZoneRow) -> RecordAnswer {
        let name = plan.target.zones.first { $0.row == zone }?.name ?? .defaultZone
        return RecordAnswer(zone: context.address(ofZone: name), schema: page.schema, downloads: downloads)
    }
}
