internal import AMQPClient
internal import AssetStorage
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import RequestServing
internal import ServiceMessages
internal import SignedTokens

/// `assets.upload` (web-services 2.10): returns an upload URL for each token, in the order of the tokens. If a token
/// gives the checksum and size of content that the caller already has in the database, the answer contains the asset
/// instead of a URL (``OwnContents``).
struct AssetsUploadOperation: Sendable {
    /// The asset service's public address.
    let publicURL: String
    /// How long a URL is valid.
    let life: Duration
    let keys: SigningKeys
    /// The maximum number of tokens in a request.
    var maxTokens = Limits().maxUploadTokens
    /// The maximum size of an asset, in bytes.
    var maxAssetBytes = Int64(Limits().maxAssetBytes)
    let contents: OwnContents

    /// Answers a request whose uploads belong to `scope`. A receipt is valid in all zones of its database or, if the
    /// caller is a participant, in one zone.
    func answer(_ request: OpenedRequest, to scope: AssetScope) async throws -> Answer {
        let body = try JSONValue(parsing: request.delivery.body)
        let expiresAt = SystemClock.milliseconds() + life.components.seconds * 1000
        let tokens = try tokens(in: body)
        let assets = try await contents.assets(for: tokens.compactMap(\.claim), in: scope)
        return Answer { writer in
            writer.key("tokens")
            writer.array(tokens) { writer, token in
                let ticket = AssetUploadTicket(
                    scope: scope, fieldName: token.fieldName, expiresAt: expiresAt, content: token.claim?.content)
                writer.object { writer in
                    writer.member("recordName", token.recordName)
                    writer.member("fieldName", token.fieldName)
                    if let claim = token.claim, let asset = assets[claim.content] {
                        asset.write(to: &writer)
                    } else {
                        writer.member("url", AssetURL.upload(base: publicURL, ticket: ticket.sealed(with: keys)))
                    }
                }
            }
        }
    }

    private struct Token {
        let recordName: String
        let fieldName: String
        let claim: OwnContents.Claim?
    }

    /// A single object is accepted in place of an array, as in other operations.
    private func tokens(in body: JSONValue) throws(ServerError) -> [Token] {
        guard let value = body["tokens"], !value.isNull else { throw .missingKey("tokens") }
        let elements = value.members == nil ? value.array : [value]
        guard let elements else { throw .wrongKind("tokens", expected: "an array") }
        guard elements.count <= maxTokens else { throw .tooMany("tokens", limit: maxTokens, actual: elements.count) }
        var tokens: [Token] = []
        for element in elements {
            guard element.members != nil else { throw .wrongKind("tokens", expected: "an array of dictionaries") }
            guard let fieldName = try element.text("fieldName") else { throw .missingKey("fieldName") }
            try Self.check("fieldName") { () throws(ValidationError) in _ = try FieldName(validating: fieldName) }
            if let type = try element.text("recordType") {
                try Self.check("recordType") { () throws(ValidationError) in _ = try RecordTypeName(validating: type) }
            }
            let recordName = try element.text("recordName")
            if let recordName {
                try Self.check("recordName") { () throws(ValidationError) in _ = try RecordName(validating: recordName)
                }
            }
            tokens.append(
                Token(
                    recordName: recordName ?? UUID().uuidString.lowercased(), fieldName: fieldName,
                    claim: try claim(of: element, field: fieldName)))
        }
        return tokens
    }

    /// Returns the content that a token announces with `fileChecksum` and `size`, and with a `receipt` if the caller
    /// has one. A size without a checksum is only checked against the limits.
    private func claim(of token: JSONValue, field: String) throws(ServerError) -> OwnContents.Claim? {
        let size = try size(of: token, field: field)
        guard let text = try token.text("fileChecksum") else { return nil }
        guard let checksum = AssetChecksum(text) else { throw .checksumInvalid(field: "fileChecksum") }
        guard let size else { throw .missingKey("size") }
        return OwnContents.Claim(
            content: AssetContent(checksum: checksum, size: size),
            receipt: try token.text("receipt"))
    }

    private func size(of token: JSONValue, field: String) throws(ServerError) -> Int64? {
        guard let value = token["size"], !value.isNull else { return nil }
        guard let size = value.int, size >= 0 else { throw .wrongKind("size", expected: "a number of bytes") }
        guard size <= maxAssetBytes else { throw .assetTooLarge(limit: maxAssetBytes, actual: size, field: field) }
        return size
    }

    private static func check(
        _ field: String, _ validate: () throws(ValidationError) -> Void
    ) throws(ServerError) {
        do {
            try validate()
        } catch {
            throw ServerError(error, field: field)
        }
    }
}
