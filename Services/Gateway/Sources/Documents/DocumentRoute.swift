internal import HTTPTypes

/// The OpenAPI document, as it is and as a page for people: `/openapi.yaml` and `/docs`. Open to everybody.
struct DocumentRoute: Sendable {
    private static let document = bytes(DocumentText.openAPI)
    private static let page = PageTemplate(bytes(DocumentText.page))

    /// The answer to a GET; nil where there is nothing of this kind.
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
