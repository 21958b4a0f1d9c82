internal import CloudKitModel
internal import Crypto
internal import Foundation
internal import GatewayStorage
internal import OperatorMessages
internal import RequestServing
internal import SignedTokens

/// `serverKeys.add`, `serverKeys.list` and `serverKeys.revoke`, for operators.
struct ServerKeyOperations: Sendable {
    private static let maxPEMBytes = 4096

    let accounts: AccountStore
    let ledger: RequestLedger
    let containers: ContainerCheck

    /// Registers a server-to-server key, given its public P-256 key in PEM format. The key's id is the SHA-256 of the
    /// DER encoding. A key that is already registered gets the new name. If it was revoked, it becomes active again.
    ///
    /// - Throws: `BAD_REQUEST`, `NOT_FOUND` if the container does not exist, or `PostgresError`.
    func add(_ request: OpenedRequest) async throws -> Answer {
        let body = try ServerKeyAddRequest(request)
        let place = try ContainerPlace(validating: body.container, body.environment)
        let name = try OperatorValues.name(body.name, "name")
        let der = try Self.der(ofPEM: body.publicKey)
        let id = Hexadecimal.encode(SHA256.hash(data: der))
        let userName = Self.userName(ofKey: id, in: place.container)
        try await containers.check(place.container, for: request)
        return try await ledger.once(request, environment: 0) { connection in
            let createdAt = try await AccountStore.add(
                ServerKey(id: id, publicKey: der, userName: userName), named: name, in: place, on: connection)
            return Answer(
                ServerKeyStatus(
                    keyID: id, container: place.container, environment: place.environment.rawValue, name: name,
                    userRecordName: userName, created: createdAt))
        }
    }

    /// Lists the keys, including revoked ones. To get the next page, a request passes the `after` value from the
    /// preceding page's answer.
    ///
    /// - Throws: `BAD_REQUEST` or `PostgresError`.
    func list(_ request: OpenedRequest) async throws -> Answer {
        let body = try ServerKeyListRequest(request)
        let limit = OperatorValues.pageLength(body.limit)
        let keys = try await accounts.serverKeys(
            after: try OperatorValues.position(body.after),
            container: try body.container.map { try OperatorValues.container($0) },
            environment: try body.environment.map { try OperatorValues.environment($0) }, limit: limit + 1)
        let listed = keys.prefix(limit).map { key in
            ServerKeyStatus(
                keyID: key.id, container: key.place.container, environment: key.place.environment.rawValue,
                name: key.name, userRecordName: key.userName, created: key.createdAt, revokedAt: key.revokedAt)
        }
        return Answer(
            ServerKeyListRequest.Answer(
                serverKeys: listed, after: keys.count > limit ? keys[limit - 1].position.text : nil))
    }

    /// Revokes a key in an environment. It is not an error if the key does not exist or has already been revoked;
    /// `revoked` is then false.
    ///
    /// - Throws: `BAD_REQUEST` or `PostgresError`.
    func revoke(_ request: OpenedRequest) async throws -> Answer {
        let body = try ServerKeyRevokeRequest(request)
        let place = try ContainerPlace(validating: body.container, body.environment)
        let id = body.keyID.lowercased()
        return try await ledger.once(request, environment: 0) { connection in
            let isRevoked = try await AccountStore.revokeServerKey(id, in: place, on: connection)
            return Answer(
                ServerKeyRevokeRequest.Answer(
                    keyID: id, container: place.container, environment: place.environment.rawValue,
                    revoked: isRevoked))
        }
    }

    /// Returns the user record name for requests that are signed with a key. The name depends only on the key and the
    /// container. It does not collide with the names of users who sign in, because those names are random.
    static func userName(ofKey id: String, in container: String) -> String {
        let digest = SHA256.hash(data: Array("zonda server key\n\(id)\n\(container)".utf8))
        return "_" + Hexadecimal.encode(digest.prefix(16))
    }

    /// Returns the DER encoding (SubjectPublicKeyInfo) of a public key in PEM format. The key is parsed and encoded
    /// again, so that each key has only one encoding.
    ///
    /// - Throws: `BAD_REQUEST`. The error does not contain the given text, because the text could be a private key.
    static func der(ofPEM pem: String) throws(ServerError) -> [UInt8] {
        guard !pem.contains("PRIVATE KEY") else {
            throw ServerError(
                .publicKeyInvalid, "This is a private key, which must not be shared. Send the public key.",
                field: "publicKey")
        }
        guard pem.utf8.count <= maxPEMBytes, let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else {
            throw ServerError(
                .publicKeyInvalid,
                "A public key must be a P-256 (prime256v1) key in PEM format (-----BEGIN PUBLIC KEY-----)",
                field: "publicKey")
        }
        return Array(key.derRepresentation)
    }
}
