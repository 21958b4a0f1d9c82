import CloudKitWire
import TestSupport

/// A request that the documents describe.
struct DocumentedRequest: Sendable {
    /// The way in which a request is sent.
    enum Transport: Sendable {
        case broker(exchange: String)
        case gateway(method: String, path: String, contentType: String?)
    }

    /// A valid request.
    struct Example: Sendable {
        /// The headers of the message or, for HTTP, the parameters under the keys `query NAME`, `path NAME` and `header
        /// NAME`.
        var headers: [JSONValue.Member]
        /// The properties of the message.
        var properties: [JSONValue.Member] = []
        /// The payload; nil if there is none.
        var payload: JSONValue?
    }

    /// The routing key, or the OpenAPI operation.
    var operation: String
    var transport: Transport
    /// Whether the payload consists of bytes rather than JSON.
    var isText: Bool
    var examples: [Example]
}

/// Every request of `asyncapi.yaml` and `openapi.yaml`, with examples that contain every member that a schema names.
/// Every documented operation is attacked without further code, and all operations are documented.
struct HostileCatalogue: Sendable {
    let requests: [DocumentedRequest]

    /// Reads the documents; see `Tests/Contract/examples.py`.
    ///
    /// - Throws: ``TestFailure`` with the output of the script.
    static func read() async throws -> HostileCatalogue {
        let script = try ChildProcess.ofRepository("Tests/Contract/check", ["examples"])
        guard try await script.exit(within: .seconds(100)) == .code(0) else { throw TestFailure(script.errorText) }
        let tree = try JSONValue(parsing: script.outputText)
        let broker = (tree["broker"]?.array ?? []).map { request in
            DocumentedRequest(
                operation: request["operation"]?.string ?? "",
                transport: .broker(exchange: request["exchange"]?.string ?? ""),
                isText: request["isText"]?.bool ?? false,
                examples: (request["examples"]?.array ?? []).map {
                    .init(
                        headers: $0["headers"]?.members ?? [], properties: $0["properties"]?.members ?? [],
                        payload: $0["payload"])
                })
        }
        let gateway = (tree["gateway"]?.array ?? []).map { request in
            DocumentedRequest(
                operation: request["operation"]?.string ?? "",
                transport: .gateway(
                    method: request["method"]?.string ?? "", path: request["path"]?.string ?? "",
                    contentType: request["contentType"]?.string),
                isText: request["contentType"]?.string?.contains("json") == false,
                examples: (request["examples"]?.array ?? []).map { example in
                    .init(
                        headers: example["parameters"]?.members ?? [],
                        payload: example["payload"].flatMap { $0.isNull ? JSONValue?.none : $0 })
                })
        }
        return HostileCatalogue(requests: broker + gateway)
    }
}
