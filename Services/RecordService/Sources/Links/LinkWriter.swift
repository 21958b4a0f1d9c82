internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// Changes the shares to which links lead, on behalf of users who have these links.
///
/// Each change is a save of the share record in its owner's zone. ``WriteTransaction`` validates, commits and records it
/// like every other write of records, so that a repeated request is not executed twice. The lock of the zone is not taken
/// for a change that would be refused and for an unnecessary request for access, so that strangers cannot delay the owner.
struct LinkWriter: Sendable {
    /// The maximum number of attempts for a change. A change of the schema or a large record can delay it.
    private static let maxAttempts = 20
    /// The maximum number of times that the zone is looked up. The remembered row can be that of a deleted zone.
    private static let maxLookUps = 5
    /// The time between attempts.
    private static let pause = Duration.milliseconds(25)

    let links: LinkReader
    let directory: ZoneDirectory
    let transaction: WriteTransaction

    /// What changing the shares resulted in.
    struct Outcome: Sendable {
        /// For each item, the error, as the user may see it, if the share could not be changed.
        var errors: [ServerError?] = []
        /// The events of the changes.
        var events: [ChangeEvent] = []
    }

    /// Changes the shares to which the items of a request lead, one after another. Each link is used once, even if
    /// several items contain it.
    ///
    /// - Parameters:
    ///   - intent: what the user wants.
    ///   - change: returns the change of a share, given its link; nil if the link does not permit the change.
    /// - Throws: `AUTHENTICATION_REQUIRED`, `zone_busy`, or `PostgresError`, in particular when the lock of a zone is not
    ///   granted in time. Some of the shares might already have been changed; a repeated request changes the rest.
    func change(
        _ items: [ShortGUIDsRequest.Item], _ request: OpenedRequest, _ intent: ShareVisitor.Intent,
        _ change: (_ link: String, _ entrance: ShareEntrance, _ caller: ShareCaller) -> WireShare?
    ) async throws -> Outcome {
        let caller = try LinkReader.caller(request.context)
        let targets = try await links.targets(items, of: caller, intent, for: request.context)
        var outcome = Outcome()
        var errors: [String: ServerError?] = [:]
        for (position, item) in items.enumerated() {
            if errors[item.value] == nil {
                var error: ServerError? = .shareLinkUnknown()
                if let target = targets[item.value], let share = change(item.value, target.entrance, caller) {
                    error = try await self.change(target, share, request, position: position, &outcome.events)
                }
                errors.updateValue(error, forKey: item.value)
            }
            outcome.errors.append(errors[item.value] ?? nil)
        }
        return outcome
    }

    /// Changes the share that one item leads to.
    ///
    /// - Parameters:
    ///   - position: the position of the item in the request.
    ///   - events: receives the events of the change.
    /// - Returns: the error, as the user may see it, if the share was not changed.
    private func change(
        _ target: LinkTable.Target, _ share: WireShare, _ request: OpenedRequest, position: Int,
        _ events: inout [ChangeEvent]
    ) async throws -> ServerError? {
        do throws(ServerError) {
            var editor = ShareEditor(target.share, seed: ParticipantSeed())
            try editor.apply(share, seq: 0)
            // An acceptance by a user who has access is recorded, so that a repetition has no effect after the loss of
            // the access.
            if editor.isUnchanged, share.acceptance == nil { return nil }
        } catch {
            return Self.shown(error)
        }
        let context = LinkReader.context(of: target, request.context)
        for _ in 0..<Self.maxLookUps {
            guard let zone = try await directory.zone(target.zone, for: context, createDatabase: false) else {
                return .shareLinkUnknown()
            }
            let write = Self.write(target, share, request, position: position, zone: zone)
            if let answered = try await execute(write, &events) {
                return try Self.failure(answered)
            }
            // The zone was deleted, and might have been created again. The directory looks it up again.
            directory.forget(zone.address)
        }
        throw ServerError(.zoneBusy, "The zone changed repeatedly while the link was being used")
    }

    /// Returns the error of a change; nil if there is none. A zone that is busy does not concern the other items.
    private static func failure(_ answered: AnsweredWrite) throws(ServerError) -> ServerError? {
        let failures: [ServerError?]
        do {
            failures = try answered.failures()
        } catch {
            guard error.reasonCode == ReasonCode.zoneBusy.rawValue else { throw error }
            return error
        }
        return (failures.first ?? nil).map(shown)
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
        throw ServerError(.zoneBusy, "The zone or its schema changed repeatedly while the link was being used")
    }

    private static func write(
        _ target: LinkTable.Target, _ share: WireShare, _ request: OpenedRequest, position: Int, zone: ZoneEntry
    ) -> WriteRequest {
        var record = WireRecord(recordName: target.share.name, recordType: RecordTypeName.share.rawValue)
        record.share = share
        var body = ModifyRecordsRequest(operations: [WireOperation(.update, record)])
        body.atomic = false
        // Each change has its own outcome, and therefore its own id. Clients cannot send ids with control characters.
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
        let named: Set<ReasonCode> = [
            .shareLinkUnknown, .participantNotVerified, .participantMayRequest, .tooManyParticipants,
            .participantAlreadyInvited, .accessRequestRequired, .accessRequestPending, .tooManyRequesters,
        ]
        if named.contains(where: { $0.rawValue == error.reasonCode }) { return error }
        return [.internalError, .tryAgainLater].contains(error.code) ? error : .shareLinkUnknown()
    }
}
