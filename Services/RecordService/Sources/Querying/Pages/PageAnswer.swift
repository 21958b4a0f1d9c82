internal import CloudKitModel
internal import CloudKitWire
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// Writes the answer with one page of a query's records.
struct PageAnswer {
    /// The approximate size of an answer without its records, in bytes.
    private static let frameBytes = 1024
    /// The approximate size of a record without its fields, in bytes.
    private static let envelopeBytes = 1024

    let page: QueryRunner.Page<QueryRunner.Found>
    /// The place where the next page begins; nil if this is the last page.
    let marker: String?
    let body: QueryRecordsRequest
    let plan: QueryPlan
    let context: RequestContext
    let downloads: AssetDownloads?
    let maxBytes: Int
    /// The number of bytes reserved for the marker and the warnings.
    private static let closingBytes = 64 << 10

    /// Writes the records, directly from their rows if the page contains rows.
    ///
    /// A record that does not fit even on its own is replaced by an error, so that the next page can continue after it.
    ///
    /// - Returns: the answer; the number of records that fit, if not all do; and whether the schema that was read
    ///   with the page contains all of the records' fields. Fields that the schema lacks are left out.
    /// - Throws: `INTERNAL_ERROR` if the stored fields cannot be parsed.
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

    /// The approximate size of the answer, in bytes. If the request contains desired keys, fields are not counted,
    /// because it is unknown how much of a record these keys select.
    private var capacity: Int {
        let fieldBytes = body.desiredKeys == nil ? page.found.reduce(0) { $0 + $1.fieldBytes } : 0
        return Self.frameBytes + page.found.count * Self.envelopeBytes + fieldBytes
    }

    private func records(of zone: ZoneRow) -> RecordAnswer {
        let name = plan.target.zones.first { $0.row == zone }?.name ?? .defaultZone
        return RecordAnswer(
            zone: context.address(ofZone: name), reader: context.user, schema: page.schema, downloads: downloads)
    }
}
