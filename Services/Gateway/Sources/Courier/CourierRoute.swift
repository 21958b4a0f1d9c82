internal import CloudKitModel
internal import Hummingbird
internal import SignedTokens

/// Where registered clients wait for notifications: `/courier?tok=…` (web-services 8.2), as a long poll or as server-sent
/// events.
struct CourierRoute: Sendable {
    /// Verifies clients' tokens.
    let keys: SigningKeys

    /// The next notification, or events as they come.
    ///
    /// - Throws: `ServerError`.
    func respond(to request: Request, query: QueryParameters) async throws -> Response {
        throw Refusal(.internalError())
    }
}
