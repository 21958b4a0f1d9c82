internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages

/// `badges.set`: the number on the app's icon from which the next notification counts on (CKModifyBadgeOperation).
struct BadgesOperation: Sendable {
    let pool: PostgresPool

    /// Answers with the number that was set.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        guard let value = try JSONValue(parsing: request.delivery.body)["badge"], !value.isNull else {
            throw ServerError.missingKey("badge")
        }
        guard let badge = value.int.flatMap(Int32.init(exactly:)), badge >= 0 else {
            throw ServerError.wrongKind("badge", expected: "a whole number from 0 to \(Int32.max)")
        }
        // Without an environment there is no subscription that counts.
        if let environment = try await EnvironmentTable(pool: pool).find(request.context) {
            let user = FiringTable.User(environment: environment, name: request.context.user)
            _ = try await pool.withConnection { try await $0.pipeline([FiringTable.setBadge(badge, of: user)]) }
        }
        return Answer { $0.member("badge", Int(badge)) }
    }
}
