internal import HTTPTypes

/// The OpenAPI document and its rendering as a page: `/openapi.yaml` and `/docs`. Neither requires credentials.
struct DocumentRoute: Sendable {
    private static let document = bytes(DocumentText.openAPI)
    private static let page = PageTemplate(bytes(DocumentText.page))

    /// Returns the answer to a GET; nil for any other path or method.
    func answer(to request: GatewayRequest) -> GatewayAnswer? {
        guard request.method == .get else { return nil }
        switch request.path.split(separator: "/") {
        case ["openapi.yaml"]: return GatewayAnswer(contentType: "application/yaml", Self.document)
        case ["docs"]: return SignInPages.document(Self.page)
        default: return nil
        }
    }

    private static func bytes(_ text: StaticString) -> [UInt8] { text.withUTF8Buffer { Array($0) } }
}
