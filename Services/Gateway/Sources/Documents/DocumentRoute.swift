internal import CGatewayDocuments
internal import HTTPTypes

/// The OpenAPI document, `/openapi.yaml`, and a page rendered from it, `/docs`. Neither requires credentials.
struct DocumentRoute: Sendable {
    private static let document = bytes(of: zonda_openapi_document())
    private static let page = PageTemplate(bytes(of: zonda_openapi_page()))

    /// Returns the response to a GET request for one of the two paths; nil for any other request.
    func answer(to request: GatewayRequest) -> GatewayAnswer? {
        guard request.method == .get else { return nil }
        switch request.path.split(separator: "/") {
        case ["openapi.yaml"]: return GatewayAnswer(contentType: "application/yaml", Self.document)
        case ["docs"]: return SignInPages.document(Self.page)
        default: return nil
        }
    }

    private static func bytes(of text: zonda_text) -> [UInt8] {
        Array(UnsafeBufferPointer(start: text.bytes, count: text.length))
    }
}
