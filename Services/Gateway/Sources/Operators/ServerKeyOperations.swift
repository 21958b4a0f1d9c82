internal import CloudKitModel
internal import CloudKitWire
internal import Crypto
internal import Foundation
internal import GatewayStorage
internal import RequestServing
internal import SignedTokens

/// `serverKeys.add`, `serverKeys.list` and `serverKeys.revoke`, for operators.
struct ServerKeyOperations: Sendable {
    private static let maxPEMBytes = 4096

    let accounts: AccountStore
    let ledger: RequestLedger
    let containers: ContainerCheck

    /// `{container, environment, name, publicKey}`: registers the public half of a server-to-server key, PEM of P-256. Its id
    /// is the SHA-256 of its DER. A key that is there gets the new name, and is active again if it was revoked.
    ///
    /// - Throws: `BAD_REQUEST`, `NOT_FOUND` without such a container, `PostgresError`.
    func add(_ request: OpenedRequest) async throws -> Answer {
        let body = try OperatorBody(request)
        let place = try body.place()
        guard let name = try body.name("name") else { throw ServerError.missingKey("name") }
        let der = try Self.der(ofPEM: try body.required("publicKey"))
        let id = Hexadecimal.encode(SHA256.hash(data: der))
        let userName = Self.userName(ofKey: id, in: place.container)
        try await containers.check(place.container, for: request)
        return try await ledger.once(request, environment: 0) { connection in
            let createdAt = try await AccountStore.add(
                ServerKey(id: id, publicKey: der, userName: userName), named: name, in: place, on: connection)
            return Answer { writer in
                writer.member("keyID", id)
                writer.members(of: place)
                writer.member("name", name)
                writer.member("userRecordName", userName)
                writer.member("created", createdAt)
            }
        }
    }

    /// `{container?, environment?, after?, limit?}`: the keys, revoked ones too. `after` is that of the answer with the
    /// preceding page.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func list(_ request: OpenedRequest) async throws -> Answer {
        let body = try OperatorBody(request)
        let limit = try body.limit()
        let keys = try await accounts.serverKeys(
            after: try body.position(), container: try body.container(), environment: try body.environment(),
            limit: limit + 1)
        return Answer { writer in
            writer.key("serverKeys")
            writer.array(Array(keys.prefix(limit))) { writer, key in
                writer.object { writer in
                    writer.member("keyID", key.id)
                    writer.members(of: key.place)
                    writer.member("name", key.name)
                    writer.member("userRecordName", key.userName)
                    writer.member("created", key.createdAt)
                    writer.member("revokedAt", key.revokedAt)
                }
            }
            if keys.count > limit { writer.member("after", keys[limit - 1].position.text) }
        }
    }

    /// `{container, environment, keyID}`: revokes a key of an environment. If there is none, or it was revoked before, the
    /// answer says so and is no error.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func revoke(_ request: OpenedRequest) async throws -> Answer {
        let body = try OperatorBody(request)
        let (place, id) = (try body.place(), try body.required("keyID").lowercased())
        return try await ledger.once(request, environment: 0) { connection in
            let isRevoked = try await AccountStore.revokeServerKey(id, in: place, on: connection)
            return Answer { writer in
                writer.member("keyID", id)
                writer.members(of: place)
                writer.member("revoked", isRevoked)
            }
        }
    }

    /// The user record name of requests that are signed with a key: always the same in a container. It differs from those of
    /// users who sign in, which are random.
    static func userName(ofKey id: String, in container: String) -> String {
        let digest = SHA256.hash(data: Array("zonda server key\n\(id)\n\(container)".utf8))
        return "_" + Hexadecimal.encode(digest.prefix(16))
    }

    /// The DER (SubjectPublicKeyInfo) of a public key's PEM. It is encoded anew, so that a key has only one.
    ///
    /// - Throws: `BAD_REQUEST`, without the text that was given: it could be a private key.
    static func der(ofPEM pem: String) throws(ServerError) -> [UInt8] {
        guard !pem.contains("PRIVATE KEY") else {
            throw ServerError(
                .publicKeyInvalid, "This is a private key, which must stay with its owner. Send the public key.",
                field: "publicKey")
        }
        guard pem.utf8.count <= maxPEMBytes, let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else {
            throw ServerError(
                .publicKeyInvalid, "A public key must be PEM, -----BEGIN PUBLIC KEY-----, of P-256 (prime256v1)",
                field: "publicKey")
        }
        return Array(key.derRepresentation)
    }
}
