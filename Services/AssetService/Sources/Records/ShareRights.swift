internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import RequestServing
internal import ServiceMessages

/// Asks the record service for the rights of participants. The answers are not cached, because a participant can be
/// removed at any time.
struct ShareRights: Sendable {
    let service: RecordServiceClient

    /// Checks that the participant of `scope` may write to the zone. Sends no request if the scope has no participant.
    ///
    /// - Parameter deadline: the deadline of the caller, in milliseconds since 1970; nil for none.
    /// - Throws: `ZONE_NOT_FOUND` if the zone does not exist or the participant is not allowed to see it;
    ///   `ACCESS_DENIED` if the participant is only allowed to read; `TRY_AGAIN_LATER` if the record service does not
    ///   answer; or `ServiceStopping`.
    func checkWriting(_ scope: AssetScope, deadline: Int64? = nil) async throws {
        guard let participant = scope.participant else { return }
        let zoneID = ZoneID(zoneName: participant.zone, ownerRecordName: UserName(unchecked: scope.owner))
        var headers: AMQPTable = [
            Header.version: .int64(1), Header.container: .string(scope.container),
            Header.environment: .string(scope.environment.rawValue),
            Header.database: .string(DatabaseScope.shared.wireName), Header.user: .string(participant.user),
        ]
        headers.set(WorkOrigin.current?.trace)
        let answer = try await service.ask(
            .sharesRights,
            [
                "zoneID": [
                    "zoneName": .string(participant.zone.rawValue), "ownerRecordName": .string(scope.owner),
                ]
            ], headers: headers, deadline: deadline)
        if let error = try WireReply(decoding: answer).error {
            throw error.reasonCode == ReasonCode.zoneNotFound.rawValue ? .zoneNotFound(zoneID) : error
        }
        let permission = try JSONValue(parsing: answer)["permission"]?.string.flatMap(SharePermission.init(wireName:))
        guard let permission else { throw ServerError.internalError() }
        guard permission >= .readWrite else {
            throw ServerError.accessDenied("The zone '\(participant.zone)' may only be read")
        }
    }
}
