internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// `records.accept` (web-services 2.9): makes the user a participant in the shares to which links lead.
///
/// Each acceptance is a save of the share record in its owner's zone. ``WriteTransaction`` validates, commits and
/// records it like every other write of records, so that a repeated request does not accept a share twice. The answer
/// shows what the user may see afterwards, even if the request was repeated.
struct RecordsAcceptOperation: Sendable {
    /// The maximum number of attempts for an acceptance. A change of the schema or a large record can delay it.
    private static let maxAttempts = 20
    /// The maximum number of times that the zone is looked up. The remembered row can be that of a deleted zone.
    private static let maxLookUps = 5
    /// The time between attempts.
    private static let pause = Duration.milliseconds(25)

    let links: LinkReader
    let directory: ZoneDirectory
    let transaction: WriteTransaction
    /// The issuer of download URLs for the assets that answers contain; nil if answers contain no URLs.
    let downloads: AssetDownloads?
    let limits: Limits

    /// Accepts the shares, one after another, and answers with one result for each short GUID.
    ///
    /// - Throws: `BAD_REQUEST`, `AUTHENTICATION_REQUIRED`, or `PostgresError`, in particular when the lock of a zone is
    ///   not granted in time. Some of the shares might already have been accepted; a repeated request accepts the rest.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        let body = try ShortGUIDsRequest(decoding: request.delivery.body)
        let caller = try LinkReader.caller(request.context)
        let targets = try await links.targets(body.items, for: request.context)
        var events: [ChangeEvent] = []
        var errors: [ServerError?] = []
        for (position, item) in body.items.enumerated() {
            guard let target = targets[item.value] else {
                errors.append(.shareLinkUnknown())
                continue
            }
            let acceptance = WireShare.Acceptance(
                link: item.value, caller: caller, maxPublicUsers: limits.maxPublicUsers)
            let error = try await accept(target, acceptance, request, position: position, &events)
            errors.append(error.map(Self.shown))
        }
        let results = zip(errors, try await links.read(body.items, for: request.context)).map { error, result in
            if let error { return Result<LinkReader.Found, ServerError>.failure(error) }
            // The user might have lost access in the meantime.
            if case .success(let found) = result, !found.standing.hasAccess { return .failure(.shareLinkUnknown()) }
            return result
        }
        var answer = ShareMetadata(context: request.context, downloads: downloads, maxBytes: limits.maxAnswerBytes)
            .answer(body.items, results)
        answer.shortBody = Answer.omitted
        answer.events = events
        return answer
    }

    /// Accepts one share.
    ///
    /// - Returns: the error if the share was not accepted.
    private func accept(
        _ target: LinkTable.Target, _ acceptance: WireShare.Acceptance, _ request: OpenedRequest, position: Int,
        _ events: inout [ChangeEvent]
    ) async throws -> ServerError? {
        let context = LinkReader.context(of: target, request.context)
        for _ in 0..<Self.maxLookUps {
            guard let zone = try await directory.zone(target.zone, for: context, createDatabase: false) else {
                return .shareLinkUnknown()
            }
            let write = Self.write(target, acceptance, request, position: position, zone: zone)
            if let answered = try await execute(write, &events) { return try answered.failures().first ?? nil }
            // The zone was deleted, and might have been created again. The directory looks it up again.
            directory.forget(zone.address)
        }
        throw ServerError(.zoneBusy, "The zone changed repeatedly while the share was being accepted")
    }

    /// Executes a write.
    ///
    /// - Returns: nil if the row of the zone no longer exists.
    private func execute(_ write: WriteRequest, _ events: inout [ChangeEvent]) async throws -> AnsweredWrite? {
        var write = write
        for _ in 0..<Self.maxAttempts {
            let result = try await transaction.run([write], waiting: true)
            events += result.events
            if let answered = result.answered.first { return answered }
            guard let returned = result.returned.first else { return nil }
            write = returned
            try await Task.sleep(for: Self.pause)
        }
        throw ServerError(.zoneBusy, "The zone or its schema changed repeatedly while the share was being accepted")
    }

    private static func write(
        _ target: LinkTable.Target, _ acceptance: WireShare.Acceptance, _ request: OpenedRequest, position: Int,
        zone: ZoneEntry
    ) -> WriteRequest {
        var record = WireRecord(recordName: target.share, recordType: RecordTypeName.share.rawValue)
        record.share.acceptance = acceptance
        var body = ModifyRecordsRequest(operations: [WireOperation(.update, record)])
        body.atomic = false
        // Each acceptance has its own outcome, and therefore its own id. Clients cannot send ids with control
        // characters.
        var delivery = request.delivery
        delivery.properties.messageID = "\(delivery.properties.messageID ?? "")\u{1}\(position)"
        var context = request.context
        context.scope = .private
        return WriteRequest(
            delivery: delivery, context: context, body: body, bodyHash: request.identity, zone: zone)
    }

    /// Returns an error as the user may see it. Every error that would reveal something about a share that the user
    /// cannot open is replaced with `share_link_unknown`.
    private static func shown(_ error: ServerError) -> ServerError {
        let named: Set<ReasonCode> = [.shareLinkUnknown, .participantNotVerified, .tooManyParticipants]
        if named.contains(where: { $0.rawValue == error.reasonCode }) { return error }
        return [.internalError, .tryAgainLater].contains(error.code) ? error : .shareLinkUnknown()
    }
}
