internal import CloudKitModel
internal import CloudKitWire
internal import Crypto
internal import Foundation
internal import PostgresClient
internal import RequestServing
internal import SignedTokens

/// `serverKeys.add`, `serverKeys.list` and `serverKeys.revoke`, for operators.
struct ServerKeyOperations: Sendable {
    private static let maxPEMBytes = 4096

    let accounts: AccountStore
    let ledger: RequestLedger
    let containers: ContainerCheck

    /// `{container, environment, name, publicKey}`: registers the public half of a server-to-server key, PEM of P-256. Its id
    /// is the SHA-256 of its DER; one that is there gets the new name, and is good again if it was revoked.
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
            let rows = try await connection.query(
                """
                insert into account.server_key (id, container, environment, public_key, name, user_name)
                values ($1, $2, $3, $4, $5, $6)
                on conflict (container, environment, id) do update set name = excluded.name, revoked_at = null
                returning created_at
                """,
                [
                    .text(id), .text(place.container), .text(place.environment.rawValue), .bytea(der), .text(name),
                    .text(userName),
                ])
            return Answer { writer in
                writer.member("keyID", id)
                writer.members(of: place)
                writer.member("name", name)
                writer.member("userRecordName", userName)
                writer.member("created", rows[0].milliseconds(0))
            }
        }
    }

    /// `{container?, environment?, after?, limit?}`: the keys that are left, also revoked ones; `after` is an answer's.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func list(_ request: OpenedRequest) async throws -> Answer {
        let body = try OperatorBody(request)
        let (limit, after) = (try body.limit(), try ListPlace(body))
        let rows = try await accounts.rows(
            """
            select id, container, environment, name, user_name, created_at, revoked_at
            from account.server_key
            where (container, environment, id) > ($1, $2, $3)
                and ($4::text is null or container = $4) and ($5::text is null or environment = $5)
            order by container, environment, id limit $6
            """,
            after.parameters + [
                .text(try body.container()), .text(try body.environment()?.rawValue), .int8(Int64(limit + 1)),
            ])
        return Answer { writer in
            writer.key("serverKeys")
            writer.array(Array(rows.prefix(limit))) { writer, row in
                writer.object { writer in
                    writer.member("keyID", row.string(0))
                    writer.member("container", row.string(1))
                    writer.member("environment", row.string(2))
                    writer.member("name", row.string(3))
                    writer.member("userRecordName", row.string(4))
                    writer.member("created", row.milliseconds(5))
                    writer.member("revokedAt", row.millisecondsIfPresent(6))
                }
            }
            if rows.count > limit { writer.member("after", ListPlace(rows[limit - 1], id: 0).text) }
        }
    }

    /// `{container, environment, keyID}`: revokes a key there. One that is not there, or is revoked, stays so.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func revoke(_ request: OpenedRequest) async throws -> Answer {
        let body = try OperatorBody(request)
        let (place, id) = (try body.place(), try body.required("keyID").lowercased())
        return try await ledger.once(request, environment: 0) { connection in
            let revoked = try await connection.query(
                """
                update account.server_key set revoked_at = now()
                where container = $1 and environment = $2 and id = $3 and revoked_at is null
                """, [.text(place.container), .text(place.environment.rawValue), .text(id)]
            ).affectedRows
            return Answer { writer in
                writer.member("keyID", id)
                writer.members(of: place)
                writer.member("revoked", revoked > 0)
            }
        }
    }

    /// As whom a key acts in a container: always the same, and nobody's who signs in, whose names are random.
    static func userName(ofKey id: String, in container: String) -> String {
        let digest = SHA256.hash(data: Array("zonda server key\n\(id)\n\(container)".utf8))
        return "_" + Hexadecimal.encode(digest.prefix(16))
    }

    /// The DER of a public key's PEM (SubjectPublicKeyInfo), written anew, so that one key has one.
    ///
    /// - Throws: `BAD_REQUEST`. The key is not repeated: it could be the private one.
    static func der(ofPEM pem: String) throws(ServerError) -> [UInt8] {
        guard !pem.contains("PRIVATE KEY") else {
            throw ServerError(
                .publicKeyInvalid, "That is a private key, which stays with its owner: give the public one",
                field: "publicKey")
        }
        guard pem.utf8.count <= maxPEMBytes, let key = try? P256.Signing.PublicKey(pemRepresentation: pem) else {
            throw ServerError(
                .publicKeyInvalid, "A public key is PEM, -----BEGIN PUBLIC KEY-----, of P-256 (prime256v1)",
                field: "publicKey")
        }
        return Array(key.derRepresentation)
    }
}
