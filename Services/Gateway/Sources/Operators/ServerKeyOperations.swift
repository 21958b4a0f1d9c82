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

    /// `{container, environment, name, publicKey}`: registers the public key of a server-to-server key, a P-256 key in
    /// PEM. Its id is the SHA-256 of its DER. A key that is already registered gets the new name, and becomes active
    /// again if it was revoked.
    ///
    /// - Throws: `BAD_REQUEST`, `NOT_FOUND` when the container does not exist, `PostgresError`.
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

    /// `{container?, environment?, after?, limit?}`: lists the keys, including revoked ones. `after` is taken from the
    /// answer with the preceding page.
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

    /// `{container, environment, keyID}`: revokes a key of an environment. A key that does not exist, or was revoked
    /// before, is not an error: `revoked` is then false.
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

    /// Returns the user record name of requests that are signed with a key. It is always the same in a container. The
    /// names of users who sign in are random, so they differ.
    static func userName(ofKey id: String, in container: String) -> String {
        let digest = SHA256.hash(data: Array("zonda server key\n\(id)\n\(container)".utf8))
        return "_" + Hexadecimal.encode(digest.prefix(16))
    }

    /// Returns the DER (SubjectPublicKeyInfo) of a public key in PEM. The key is parsed and encoded again, so that its
    /// DER is unique.
    ///
    /// - Throws: `BAD_REQUEST`, which does not contain the given text, since it could be a private key.
    static func der(ofPEM pem: String) throws(ServerError) -> [UInt8] {
        guard !pem.contains("PRIVATE KEY") else {
            throw ServerError(
                .publicKeyInvalid, "This is a private key, which must not be shared. Send the public key.",
                field: "publicKey")
        }
        guard pem.utf8.count <= maxPEMBytes, let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else {
            throw ServerError(
                .publicKeyInvalid, "A public key must be a P-256 (prime256v1) key in PEM: -----BEGIN PUBLIC KEY-----",
                field: "publicKey")
        }
        return Array(key.derRepresentation)
    }
}
