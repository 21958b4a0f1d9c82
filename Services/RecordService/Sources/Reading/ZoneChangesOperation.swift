internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// `changes.zone` and the older `records.changes` (web-services 2.6, 2.8): each record once, in its latest state. The
/// oldest change comes first, unless the request reverses the order (``ZoneChangeToken/Descent``).
struct ZoneChangesOperation: Sendable {
    /// The maximum number of records in one answer, across all its zones.
    private static let maxRecords = 5000
    /// The number of bytes reserved for a zone without records, or for its error.
    private static let zoneBytes = 2048

    let reader: ZoneReader
    let directory: ZoneDirectory
    let tokens: ZoneTokenIssuer
    /// The issuer of download URLs for the assets that answers contain; nil if answers contain no URLs.
    let downloads: AssetDownloads?
    let limits: Limits

    /// The room that is left in the answer.
    struct Budget {
        var bytes: Int
        var records: Int

        var isSpent: Bool { bytes <= 0 || records <= 0 }
    }

    /// Answers `changes.zone`, with one item for each requested zone.
    func changes(_ request: OpenedRequest) async throws -> Answer {
        let body = try ZoneChangesRequest(decoding: request.delivery.body, limits: limits)
        var pages: [Result<Page, ServerError>] = []
        // The zones of a request share the size limit of one answer. If no room is left for a zone, its answer contains
        // no records, and `moreComing` is true.
        var budget = Budget(bytes: RecordTable.maxBytesRead, records: Self.maxRecords)
        for query in body.zones {
            do {
                let page = try await self.page(query, for: request.context, budget: budget)
                budget.bytes -= page.records.reduce(0) { $0 + $1.size }
                budget.records -= page.records.count
                pages.append(.success(page))
            } catch let error as ServerError {
                pages.append(.failure(error))
            }
        }
        return Answer(maxBytes: limits.maxAnswerBytes) { writer in
            writer.key("zones")
            var isFirst = true
            var left = pages.count
            writer.array(zip(body.zones, pages)) { writer, item in
                let (query, result) = item
                left -= 1
                switch result {
                case .success(let page):
                    writer.object { writer in
                        writer.key("zoneID")
                        writer.zoneID(page.answer.zoneID)
                        write(page, query, reserving: left * Self.zoneBytes, isFirst: &isFirst, to: &writer)
                    }
                case .failure(let error):
                    writer.itemError(error, zoneID: query.zoneID)
                }
            }
        }
    }

    /// Answers `records.changes`, which reads one zone. The zone's changes are at the top level of the answer.
    func recordChanges(_ request: OpenedRequest) async throws -> Answer {
        let query = try RecordChangesRequest(decoding: request.delivery.body).query
        let page = try await self.page(
            query, for: request.context, budget: Budget(bytes: RecordTable.maxBytesRead, records: Self.maxRecords))
        return Answer(maxBytes: limits.maxAnswerBytes) { writer in
            var isFirst = true
            write(page, query, reserving: 0, isFirst: &isFirst, to: &writer)
        }
    }

    /// A page of a zone's changes.
    struct Page {
        let answer: RecordAnswer
        let records: [StoredRecord]
        /// The end of the page.
        let end: End
        /// Returns the end of the page if the answer contains only the given number of ``records``.
        let endAfter: @Sendable (Int) -> End

        /// The end of a page.
        struct End {
            let token: String
            let moreComing: Bool
        }
    }

    /// Writes as many records as there is room for, and then the end of the page.
    ///
    /// A record that does not fit even as the first one in an answer is replaced by an error, so that the walk can
    /// continue after it.
    ///
    /// - Parameters:
    ///   - reserve: the number of bytes to reserve for the zones that follow.
    ///   - isFirst: whether the answer contains no record yet.
    private func write(
        _ page: Page, _ query: ZoneChangesQuery, reserving reserve: Int, isFirst: inout Bool,
        to writer: inout WireWriter
    ) {
        let wanted = query.desiredRecordTypes.map(Set.init)
        let desiredKeys = query.desiredKeys.map(Set.init)
        var end = page.end
        writer.key("records")
        writer.beginArray()
        for (index, record) in page.records.enumerated() {
            // The type of a record that a participant can no longer see is unknown, so its deletion is always reported.
            if let wanted, let type = page.answer.schema.type(record.type), !wanted.contains(type.name) { continue }
            let isWritten = writer.attempt(reserving: reserve + Self.zoneBytes) { writer in
                if record.isTombstone {
                    page.answer.writeTombstone(record.name, of: record.type, to: &writer)
                } else {
                    page.answer.write(
                        record, desiredKeys: desiredKeys, numbersAsStrings: query.numbersAsStrings, to: &writer)
                }
            }
            if !isWritten, isFirst {
                writer.itemError(.replyTooLarge(limits.maxAnswerBytes), recordName: record.name)
            } else if !isWritten {
                end = page.endAfter(index)
                break
            }
            isFirst = false
        }
        writer.endArray()
        writer.member("syncToken", end.token)
        writer.member("moreComing", end.moreComing)
    }

    private func page(_ query: ZoneChangesQuery, for caller: RequestContext, budget: Budget) async throws -> Page {
        let context = try ZoneAccess.context(of: query.zoneID, for: caller)
        guard context.scope != .shared else { return try await sharedPage(query, for: context, budget: budget) }
        try limits.profile.checkChanges(of: query.zoneID, in: context.scope)
        let limit = limit(of: query, in: budget)
        var token: ZoneChangeToken?
        var walk = ZoneWalk(from: nil, reverse: query.reverse)
        let snapshot = try await reader.read(
            query.zoneID.zoneName, for: context, createDatabase: true,
            check: { zone, state in
                // The token is checked only after the row has been read, because the directory might not yet know that
                // another zone now has this name.
                if let token, token.zone != zone.row.rawValue { throw ServerError.changeTokenExpired(.recreated) }
                try walk.check(counter: state.changeSeq, purgeMark: state.purgeMark)
            },
            { zone, _ in
                token = try query.syncToken.map { try open($0, of: zone) }
                walk = ZoneWalk(from: token, reverse: query.reverse)
                return [
                    RecordTable(zone.database.environment).changes(
                        in: zone.row, after: walk.position, below: walk.ceiling,
                        skippingTombstonesTo: walk.unknownTombstones, limit: limit, maxBytes: budget.bytes)
                ]
            })
        guard let snapshot else { throw try await directory.missing(query.zoneID, for: context) }
        let (zone, schema, records) = (snapshot.zone, snapshot.schema, snapshot.records)
        let rules = AccessRules(
            context, customRoles: schema.roles(of: context.user, in: zone.database.environment))
        let isCut = records.count >= limit || records.reduce(0) { $0 + $1.size } > budget.bytes
        let shown = try await reader.visible(snapshot).filter { rules.shows($0, of: schema.type($0.type)) }
        let counter = snapshot.state.changeSeq
        let end = { @Sendable [tokens] (end: ZoneWalk.End) in
            Page.End(
                token: tokens.token(
                    row: zone.row, address: zone.address, position: end.position, horizon: end.horizon,
                    descent: end.descent),
                moreComing: end.moreComing)
        }
        return Page(
            answer: RecordAnswer(zone: zone.address, reader: context.user, schema: schema, downloads: downloads),
            records: shown,
            end: end(walk.end(of: records.map(\.changeSeq), counter: counter, isCut: isCut)),
            endAfter: { [walk] in
                end(walk.end(of: shown.prefix($0).map(\.changeSeq), counter: counter, isCut: true))
            })
    }

    /// Returns the maximum number of records on a page.
    func limit(of query: ZoneChangesQuery, in budget: Budget) -> Int {
        let wanted = min(max(1, query.resultsLimit ?? limits.defaultResults), limits.maxResults)
        return budget.isSpent ? 0 : min(wanted, budget.records)
    }

    private func open(_ text: String, of zone: ZoneEntry) throws(ServerError) -> ZoneChangeToken {
        guard let token = ZoneChangeToken(opening: text, with: tokens.keys) else {
            if DatabaseChangeToken(opening: text, with: tokens.keys) != nil { throw .changeTokenForeign() }
            throw .changeTokenInvalid()
        }
        guard token.address == AddressDigest.zone(zone.address) else { throw .changeTokenForeign() }
        guard token.store == tokens.store else { throw .changeTokenExpired(.restored) }
        return token
    }
}
