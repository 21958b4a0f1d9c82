internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// `badges.set` (CKModifyBadgeOperation): sets the number on the app's icon. The next notification with a badge
/// increments this number.
struct BadgesOperation: Sendable {
    let pool: PostgresPool

    /// Returns the number that was set.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func answer(_ request: OpenedRequest) async throws -> Answer {
        guard let value = try JSONValue(parsing: request.delivery.body)["badge"], !value.isNull else {
            throw ServerError.missingKey("badge")
        }
        guard let badge = value.int.flatMap(Int32.init(exactly:)), badge >= 0 else {
            throw ServerError.wrongKind("badge", expected: "a whole number from 0 to \(Int32.max)")
        }
        // An environment without a row has no subscriptions, so no notification would increment the number.
        if let environment = try await EnvironmentTable(pool: pool).find(request.context) {
            let user = RecipientTable.User(environment: environment, name: request.context.user)
            try await RecipientTable(pool: pool).setBadge(badge, of: user)
        }
        return Answer { $0.member("badge", Int(badge)) }
    }
}
