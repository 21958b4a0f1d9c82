import CloudKitWire
import Foundation
import TestGenerators
import TestSupport

/// The parameters of a hostile request over HTTP.
enum GatewayParameters {
    /// Returns the names of the example's parameters and of those that every request has.
    static func names(of example: DocumentedRequest.Example) -> [String] {
        example.headers.map(\.key) + ["query ckAPIToken", "query ckWebAuthToken", "header Content-Type", "header Host"]
    }
}

/// Sends hostile requests to the gateway, each over its own connection.
struct GatewayAttack {
    let ground: HostileGround

    /// Sends the request of a case.
    ///
    /// - Throws: ``TestFailure`` if the gateway cannot be reached.
    func send(_ hostile: HostileCase) async throws -> HostileOutcome {
        // A user who has signed out can send no more requests, so this operation gets a new user.
        let user = hostile.operation == "signOut" ? try await GatewayClient.user(ground.stack) : ground.user
        guard let request = request(of: hostile, as: user) else { return .silent }
        let conversation = try HTTPConversation(port: ground.stack.gatewayPort)
        await conversation.send(request)
        do {
            let reply = try await conversation.reply()
            return reply.status == 500 ? .failed("500 \(reply.text.prefix(400))") : .answered(reply.status)
        } catch {
            return .failed("\(error)")
        }
    }

    /// Describes the request of a case as text, to reproduce the case.
    static func describe(_ hostile: HostileCase, on ground: HostileGround) -> String {
        let request = GatewayAttack(ground: ground).request(of: hostile, as: ground.user) ?? []
        return "\(request.count) bytes: \(String(decoding: request.prefix(1500), as: UTF8.self))"
    }

    private func request(of hostile: HostileCase, as user: GatewayClient) -> [UInt8]? {
        guard let documented = hostile.request, let example = hostile.example,
            case .gateway(let method, let path, let contentType) = documented.transport
        else { return nil }
        var generator = hostile.generator
        var parameters = example.headers.map { ($0.key, [Self.text($0.value)]) }
        if case .user(let apiToken, let webAuthToken) = user.credentials {
            parameters.append(("query ckAPIToken", [Array(apiToken.utf8)]))
            // The token is not percent-encoded here, because the query is encoded as a whole later.
            parameters.append(("query ckWebAuthToken", [Array((webAuthToken.removingPercentEncoding ?? "").utf8)]))
        }
        parameters.append(("header Content-Type", [Array((contentType ?? "text/plain").utf8)]))
        parameters.append(("header Host", [Array("127.0.0.1".utf8)]))
        if let index = parameters.firstIndex(where: { $0.0 == "path container" }) {
            parameters[index].1 = [Array(ground.stack.container.utf8)]
        }
        if case .parameter(let name) = hostile.place, let index = parameters.firstIndex(where: { $0.0 == name }) {
            let old = parameters[index].1
            parameters[index].1 =
                switch hostile.kind {
                case .missing: []
                case .repeated: old + old
                default: [HostileText.bytes(hostile.kind, limit: 4000, &generator)]
                }
        }
        let (body, encoding) = body(documented, example, hostile, &generator)
        var target = path
        var query: [String] = []
        var headers: [UInt8] = encoding.map { Array("Content-Encoding: \($0)\r\n".utf8) } ?? []
        for (name, values) in parameters {
            let parts = name.split(separator: " ", maxSplits: 1).map(String.init)
            switch parts[0] {
            case "path":
                target = target.replacing("{\(parts[1])}", with: values.map(Self.encoded).joined(separator: "/"))
            case "query": query += values.map { "\(parts[1])=\(Self.encoded($0))" }
            default: for value in values { headers += Array("\(parts[1]): ".utf8) + value + Array("\r\n".utf8) }
            }
        }
        if !query.isEmpty { target += "?" + query.joined(separator: "&") }
        if method != "GET" || !body.isEmpty { headers += Array("Content-Length: \(body.count)\r\n".utf8) }
        return Array("\(method) \(target) HTTP/1.1\r\n".utf8) + headers + Array("Connection: close\r\n\r\n".utf8) + body
    }

    private func body(
        _ documented: DocumentedRequest, _ example: DocumentedRequest.Example, _ hostile: HostileCase,
        _ generator: inout SeededGenerator
    ) -> (bytes: [UInt8], encoding: String?) {
        guard let payload = example.payload else { return ([], nil) }
        if case .member(let path) = hostile.place {
            return (HostileJSON(payload, at: path, hostile.kind, &generator).bytes, nil)
        }
        var text = payload.encoded()
        if documented.isText {
            text = Array(
                (payload.members ?? []).map { "\($0.key)=\(Self.encoded(Self.text($0.value)))" }
                    .joined(separator: "&").utf8)
        }
        guard hostile.place == .body else { return (text, nil) }
        if hostile.kind == .compressed { return Compressed.body(text, &generator) }
        return (HostileText.body(hostile.kind, text, &generator), nil)
    }

    private static func text(_ value: JSONValue) -> [UInt8] {
        Array((value.string ?? "").utf8).nonEmpty ?? value.encoded()
    }

    /// Percent-encodes bytes, except letters, digits and other characters that are valid in paths.
    private static func encoded(_ bytes: [UInt8]) -> String {
        bytes.map { byte in
            let isPlain =
                (48...57).contains(byte) || (65...90).contains(byte) || (97...122).contains(byte)
                || [45, 46, 95, 126].contains(byte)
            return isPlain
                ? String(UnicodeScalar(byte)) : "%" + String(byte >> 4, radix: 16) + String(byte & 15, radix: 16)
        }.joined()
    }
}

extension Array {
    fileprivate var nonEmpty: Self? { isEmpty ? nil : self }
}
