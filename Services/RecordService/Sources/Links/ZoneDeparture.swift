internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// The departure of a participant from all shares of another user's zone.
///
/// The departures are deletions of share records in the shared database. ``WriteTransaction`` decides and commits them
/// like every other write of records, several in one transaction. Each transaction also records the ids of its
/// departures, so a repeated request leaves the rest, but no share that the user has joined again.
struct ZoneDeparture: Sendable {
    /// The maximum number of successive attempts that may be postponed, for example by a change of the schema or by a
    /// large record.
    private static let maxAttempts = 20
    /// The time between a postponed attempt and the next one.
    private static let pause = Duration.milliseconds(25)
    /// The maximum number of shares that one transaction leaves.
    private static let sharesPerTransaction = 25

    let pool: PostgresPool
    let directory: ZoneDirectory
    let transaction: WriteTransaction

    /// Leaves the shares of a zone, until `limit` shares have been left or the request's deadline has passed.
    ///
    /// - Parameters:
    ///   - position: the position of the operation in the request.
    ///   - environment: the environment of the request.
    ///   - limit: the maximum number of shares to leave. Repeating the request leaves the others.
    /// - Throws: a `zone_busy` error, or `PostgresError`, in particular if the zone's lock is not granted in time. The
    ///   user might then have left only some of the shares; repeating the request leaves the others.
    func leave(
        _ zoneID: ZoneID, _ request: OpenedRequest, position: Int, environment: Int32, limit: Int
    ) async throws -> ZonesModifyOperation.Departure {
        var result = ZonesModifyOperation.Departure()
        guard let context = try? ZoneAccess.context(of: zoneID, for: request.context) else {
            result.isComplete = true
            return result
        }
        let marks = Marks(request, position: position, environment: environment)
        for attempt in 0..<Self.maxAttempts {
            if attempt > 0 { try await Task.sleep(for: Self.pause) }
            let zone = try await directory.zone(zoneID.zoneName, for: context, createDatabase: false)
            let found = try await shares(of: context.user, in: zone, marks, limit: limit - result.count + 1)
            result.hasLeft = result.hasLeft || found.hasLeft
            guard let zone else {
                result.isComplete = true
                return result
            }
            if found.isZoneGone {
                // The zone was deleted, and might have been created again. The directory looks it up again.
                directory.forget(zone.address)
                continue
            }
            let draft = Draft(zone: zone, zoneID: zoneID, context: context, request: request, marks: marks)
            if try await leave(found.shares, draft, limit: limit, &result) { return result }
        }
        throw ServerError.zoneBusy(zoneID)
    }

    private struct Found {
        var shares: [Share] = []
        var hasLeft = false
        var isZoneGone = false
    }

    private typealias Share = (id: ShareID, name: RecordName)

    /// Reads at most `limit` shares that the request has still to leave.
    private func shares(of user: String, in zone: ZoneEntry?, _ marks: Marks, limit: Int) async throws -> Found {
        try await pool.withConnection { connection in
            var found = Found()
            let first = try await connection.pipeline([RequestTable.record.read([marks.ofOperation])])
            found.hasLeft = try !marks.present(first[0]).isEmpty
            guard let zone else { return found }
            var last: ShareID?
            repeat {
                let results = try await connection.pipeline([
                    ZoneTable.state(of: zone.row),
                    ShareAccessTable.shares(of: user, in: zone.row, after: last, limit: limit),
                ])
                guard let state = ZoneTable.state(results[0]), !state.isDeleted else {
                    found.isZoneGone = true
                    return found
                }
                found.shares = ShareAccessTable.shares(results[1])
                last = found.shares.count < limit ? nil : found.shares.last?.id
                guard found.hasLeft, !found.shares.isEmpty else { break }
                // The user might have joined some of the shares again after the request was first executed.
                let keys = found.shares.map { marks.of($0.id) }
                let rows = try await connection.pipeline([RequestTable.record.read(keys)])
                let done = try marks.present(rows[0])
                found.shares.removeAll { done.contains(marks.of($0.id)) }
            } while found.shares.isEmpty && last != nil
            return found
        }
    }

    /// Leaves `shares`.
    ///
    /// - Returns: whether the work has ended; if not, the shares must be read again.
    private func leave(
        _ shares: [Share], _ draft: Draft, limit: Int, _ result: inout ZonesModifyOperation.Departure
    ) async throws -> Bool {
        var (rest, size, attempts) = (shares[...], Self.sharesPerTransaction, 0)
        while !rest.isEmpty {
            let isExpired = draft.context.isExpired(at: SystemClock.milliseconds())
            let batch = rest.prefix(min(size, limit - result.count))
            guard !batch.isEmpty, !isExpired else { return true }
            let outcome = try await transaction.run(
                [draft.write(Array(batch), isFirst: !result.hasLeft)], waiting: true)
            result.events += outcome.events
            guard let answered = outcome.answered.first else {
                guard !outcome.returned.isEmpty else { return false }
                attempts += 1
                guard attempts < Self.maxAttempts else { throw ServerError.zoneBusy(draft.zoneID) }
                try await Task.sleep(for: Self.pause)
                continue
            }
            if let error = Self.refusal(answered) {
                if error.reasonCode == ReasonCode.limitExceeded.rawValue, batch.count > 1 {
                    // The share records are too large to be read together.
                    size = batch.count / 2
                    continue
                }
                // The user lost access, or another instance left these shares for the same request.
                guard error.code == .zoneNotFound || error.code == .internalError else { throw error }
                return false
            }
            result.hasLeft = true
            result.count += batch.count
            attempts = 0
            rest = rest.dropFirst(batch.count)
        }
        result.isComplete = true
        return true
    }

    /// The error that refused a write as a whole; nil if the write was executed.
    private static func refusal(_ answered: AnsweredWrite) -> ServerError? {
        do {
            _ = try answered.failures()
            return nil
        } catch {
            return error
        }
    }

    /// The ids under which the ledger keeps the departures of one operation. They differ from all ids of clients,
    /// because these cannot contain control characters.
    private struct Marks {
        let identity: [UInt8]
        /// The key of the row that exists once the operation has left a share.
        let ofOperation: RequestTable.Key

        init(_ request: OpenedRequest, position: Int, environment: Int32) {
            identity = request.identity
            ofOperation = RequestTable.Key(
                environment: environment, user: request.context.user,
                messageID: MessageID(unchecked: "\(request.delivery.properties.messageID ?? "")\u{1}\(position)"))
        }

        /// The key of the row that exists once the operation has left this share.
        func of(_ share: ShareID) -> RequestTable.Key {
            var key = ofOperation
            key.messageID = MessageID(unchecked: "\(key.messageID.rawValue).\(share.rawValue)")
            return key
        }

        /// Returns the keys of the rows that were read.
        ///
        /// - Throws: `message_id_reused` if the rows belong to a different request with the same id.
        func present(_ result: PostgresResult) throws(ServerError) -> Set<RequestTable.Key> {
            let rows = RequestTable.rows(result)
            guard rows.values.allSatisfy({ $0.bodyHash == identity }) else { throw .messageIDReused() }
            return Set(rows.keys)
        }
    }

    /// What the writes of one operation have in common.
    private struct Draft {
        let zone: ZoneEntry
        let zoneID: ZoneID
        let context: RequestContext
        let request: OpenedRequest
        let marks: Marks

        /// Returns the write that leaves `shares`.
        ///
        /// - Parameter isFirst: whether the operation has left no share yet.
        func write(_ shares: [Share], isFirst: Bool) -> WriteRequest {
            var body = ModifyRecordsRequest(
                operations: shares.map { share in
                    let type = RecordTypeName.share.rawValue
                    return WireOperation(.forceDelete, WireRecord(recordName: share.name, recordType: type))
                })
            body.zoneID = zoneID
            body.atomic = false
            let keys = shares.map { marks.of($0.id) }
            var delivery = request.delivery
            delivery.properties.messageID = keys.first?.messageID.rawValue
            var write = WriteRequest(
                delivery: delivery, context: context, body: body, bodyHash: request.identity, zone: zone)
            write.marks = keys.dropFirst().map(\.messageID) + (isFirst ? [marks.ofOperation.messageID] : [])
            return write
        }
    }
}
