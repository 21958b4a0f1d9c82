package import HTTPTypes
package import SignedTokens

@testable package import Gateway

/// Returns the keys of a deployment with these ids. The first one signs.
package func deploymentKeys(_ ids: String..., for purpose: SigningKeys.Purpose) -> SigningKeys {
    let lines = (ids.isEmpty ? ["k1"] : ids).map { "\($0):\(String(repeating: "5a", count: 32))" }
    do {
        return try SigningKeys(parsing: lines.joined(separator: "\n"), for: purpose)
    } catch {
        preconditionFailure("\(error)")
    }
}

extension GatewayRequest {
    /// Returns a request as the server has read it.
    package static func sent(
        _ target: String, method: HTTPRequest.Method = .post, headers: HTTPFields = [:], body: String = ""
    ) -> GatewayRequest {
        let parts = target.split(separator: "?", maxSplits: 1).map(String.init)
        return GatewayRequest(
            method: method, target: target, path: parts[0], query: QueryParameters(parts.count == 2 ? parts[1] : ""),
            headers: headers, body: Array(body.utf8), address: "127.0.0.1", requestID: "test", trace: nil)
    }
}

extension HTTPFields {
    /// Returns the headers of a server-to-server signature.
    package static func signature(keyID: String?, date: String?, signature: String?) -> HTTPFields {
        var fields = HTTPFields()
        for (name, value) in [("KeyID", keyID), ("ISO8601Date", date), ("SignatureV1", signature)] {
            if let value, let name = HTTPField.Name("X-Apple-CloudKit-Request-\(name)") { fields[name] = value }
        }
        return fields
    }
}
