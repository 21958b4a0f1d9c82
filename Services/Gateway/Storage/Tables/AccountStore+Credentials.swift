internal import CloudKitModel
internal import PostgresClient

/// A server-to-server key that is good: what a request signed with it acts as.
struct ServerKey: Sendable, Hashable {
    /// 64 lower-case hexadecimal digits.
    var id: String
    /// DER, SubjectPublicKeyInfo.
    var publicKey: [UInt8]
    /// As whom it acts.
    var userName: String
}

extension AccountStore {
    /// An API token that is good; nil when there is none such or it was revoked.
    ///
    /// - Throws: `PostgresError`.
    func apiToken(_ token: String) async throws -> APIToken? {
        guard APIToken.isToken(token) else { return nil }
        let rows = try await rows(
            """
            select t.token, t.container, t.environment, t.name, t.origins, t.callback_url
            from account.api_token t where t.token = $1 and t.revoked_at is null
            """, [.text(token.lowercased())])
        return rows.first.flatMap { row in
            EnvironmentName(rawValue: row.string(2)).map { environment in
                APIToken(
                    token: row.string(0), container: row.string(1), environment: environment, name: row.string(3),
                    origins: row.textArray(4), callbackURL: row.stringIfPresent(5))
            }
        }
    }

    /// A server-to-server key of a container's environment that is good; nil when there is none such or it was revoked.
    ///
    /// - Throws: `PostgresError`.
    func serverKey(_ id: String, container: String, environment: EnvironmentName) async throws -> ServerKey? {
        guard APIToken.isToken(id) else { return nil }
        return try await rows(
            """
            select k.id, k.public_key, k.user_name from account.server_key k
            where k.container = $1 and k.environment = $2 and k.id = $3 and k.revoked_at is null
            """, [.text(container), .text(environment.rawValue), .text(id.lowercased())]
        ).first.map { ServerKey(id: $0.string(0), publicKey: $0.bytes(1), userName: $0.string(2)) }
    }
}
