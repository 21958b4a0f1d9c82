internal import CloudKitModel
internal import CloudKitWire
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

    /// Tells the records, straight from their rows where there are any.
    ///
    /// - Returns: the answer, and whether the schema that came with the page has all of the records' fields. Those that it
    ///   has not are left out.
    /// - Throws: `INTERNAL_ERROR` when what is stored is no record's.
    func written() throws -> (answer: Answer, isWhole: Bool) {
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
        let answer = try Answer(capacity: capacity) { writer in
            writer.key("records")
            try writer.array(page.found) { writer, found in
                switch found {
                case .row(let row):
                    if try !rows(of: row.zone).write(row, to: &writer) { isWhole = false }
                case .record(let record, let zone):
                    records(of: zone).write(
                        record, desiredKeys: desiredKeys, numbersAsStrings: body.numbersAsStrings, to: &writer)
                }
            }
            writer.member("continuationMarker", marker)
            if !plan.warnings.isEmpty { writer.member("warnings", plan.warnings) }
        }
        return (answer, isWhole)
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
