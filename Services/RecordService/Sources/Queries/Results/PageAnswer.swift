internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages

/// The answer that tells a page of a query.
struct PageAnswer {
    /// What an answer has besides its records, roughly.
    private static let frameBytes = 1024

    let page: QueryRunner.Page
    /// Where the next page begins; nil: there is none.
    let marker: String?
    let body: QueryRecordsRequest
    let plan: QueryPlan
    let context: RequestContext
    let downloads: AssetDownloads?

    /// Tells the records straight from their rows.
    ///
    /// - Returns: nil when the schema that came with the page has not all of their fields.
    /// - Throws: `INTERNAL_ERROR` when what is stored is no record's.
    func fromRows() throws -> Answer? {
        let desiredKeys = body.desiredKeys.map(Set.init)
        var zones: [ZoneRow: RecordAnswer.Rows] = [:]
        func rows(of zone: ZoneRow) -> RecordAnswer.Rows {
            if let known = zones[zone] { return known }
            let rows = records(of: zone, page.schema).rows(
                of: plan.target.type.id, desiredKeys: desiredKeys, numbersAsStrings: body.numbersAsStrings)
            zones[zone] = rows
            return rows
        }
        var isWhole = true
        let answer = try Answer(capacity: page.found.reduce(Self.frameBytes) { $0 + $1.answerBytes }) { writer in
            writer.key("records")
            try writer.array(page.found) { writer, row in
                if try !rows(of: row.zone).write(row, to: &writer) { isWhole = false }
            }
            writeRest(to: &writer)
        }
        return isWhole ? answer : nil
    }

    /// Tells `records`, the page's, by another schema.
    func of(_ records: [(zone: ZoneRow, record: StoredRecord)], _ schema: SchemaSnapshot) -> Answer {
        let desiredKeys = body.desiredKeys.map(Set.init)
        return Answer { writer in
            writer.key("records")
            writer.array(records) { writer, found in
                self.records(of: found.zone, schema).write(
                    found.record, desiredKeys: desiredKeys, numbersAsStrings: body.numbersAsStrings, to: &writer)
            }
            writeRest(to: &writer)
        }
    }

    private func records(of zone: ZoneRow, _ schema: SchemaSnapshot) -> RecordAnswer {
        let name = plan.target.zones.first { $0.row == zone }?.name ?? ""
        return RecordAnswer(zone: context.address(ofZone: name), schema: schema, downloads: downloads)
    }

    private func writeRest(to writer: inout WireWriter) {
        writer.member("continuationMarker", marker)
        if !plan.warnings.isEmpty { writer.member("warnings", plan.warnings) }
    }
}
