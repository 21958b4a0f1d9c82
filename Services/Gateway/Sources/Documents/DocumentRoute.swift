internal import CloudKitModel

/// The document of the endpoints, and its readable page.
struct DocumentRoute: Sendable {
    /// The document or page; nil for a path that is neither.
    func answer(to request: GatewayRequest) -> GatewayAnswer? { nil }
}
