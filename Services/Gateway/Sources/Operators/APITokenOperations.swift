internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RequestServing
internal import SignedTokens

/// `apiTokens.create`, `apiTokens.list` and `apiTokens.revoke`, for operators.
struct APITokenOperations: Sendable {
    /// Origins of one token.
    static let maxOrigins = 50

    let accounts: AccountStore
    let ledger: RequestLedger
    let containers: ContainerCheck

    /// `{container, environment, name, origins?, callbackURL?}`: makes an API token of a container's environment. A repeat is
    /// answered with the same one, which is kept: it is no secret.
    ///
    /// - Throws: `BAD_REQUEST`, `NOT_FOUND` without such a container, `PostgresError`.
    func create(_ request: OpenedRequest) async throws -> Answer {
        let body = try OperatorBody(request)
        let place = try body.place()
        guard let name = try body.name("name") else { throw ServerError.missingKey("name") }
        let given = try body.texts("origins")
        guard given.count <= Self.maxOrigins else {
            throw ServerError.tooMany("origins", limit: Self.maxOrigins, actual: given.count)
        }
        let origins = try given.map { text throws(ServerError) in try WebOrigin(validating: text).text }
        let callback = try body.text("callbackURL").map { text throws(ServerError) in
            try SignInCallback(validating: text).text
        }
        try await containers.check(place.container, for: request)
        return try await ledger.once(request, environment: 0) { connection in
            let token = APIToken(
                token: Hexadecimal.encode((0..<32).map { _ in UInt8.random(in: .min ... .max) }),
                container: place.container, environment: place.environment, name: name, origins: origins,
                callbackURL: callback)
            let rows = try await connection.query(
                """
                insert into account.api_token (token, container, environment, name, origins, callback_url)
                values ($1, $2, $3, $4, $5, $6) returning created_at
                """,
                [
                    .text(token.token), .text(token.container), .text(token.environment.rawValue), .text(name),
                    .textArray(origins), .text(callback),
                ])
            return Answer { $0.members(of: token, created: rows[0].milliseconds(0), revoked: nil) }
        }
    }

    /// `{container?, environment?, after?, limit?}`: the API tokens that are left, also revoked ones; `after` is an answer's.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func list(_ request: OpenedRequest) async throws -> Answer {
        let body = try OperatorBody(request)
        let (limit, after) = (try body.limit(), try ListPlace(body))
        let rows = try await accounts.rows(
            """
            select token, container, environment, name, origins, callback_url, created_at, revoked_at
            from account.api_token
            where (container, environment, token) > ($1, $2, $3)
                and ($4::text is null or container = $4) and ($5::text is null or environment = $5)
            order by container, environment, token limit $6
            """,
            after.parameters + [
                .text(try body.container()), .text(try body.environment()?.rawValue), .int8(Int64(limit + 1)),
            ])
        return Answer { writer in
            writer.key("apiTokens")
            writer.array(Array(rows.prefix(limit))) { writer, row in
                let token = APIToken(
                    token: row.string(0), container: row.string(1),
                    environment: EnvironmentName(rawValue: row.string(2)) ?? .development, name: row.string(3),
                    origins: row.textArray(4), callbackURL: row.stringIfPresent(5))
                writer.object {
                    $0.members(of: token, created: row.milliseconds(6), revoked: row.millisecondsIfPresent(7))
                }
            }
            if rows.count > limit { writer.member("after", ListPlace(rows[limit - 1], id: 0).text) }
        }
    }

    /// `{token}`: revokes an API token. One that is not there, or is revoked, stays so.
    ///
    /// - Throws: `BAD_REQUEST`, `PostgresError`.
    func revoke(_ request: OpenedRequest) async throws -> Answer {
        let token = try OperatorBody(request).required("token").lowercased()
        return try await ledger.once(request, environment: 0) { connection in
            let revoked = try await connection.query(
                "update account.api_token set revoked_at = now() where token = $1 and revoked_at is null",
                [.text(token)]
            ).affectedRows
            return Answer { writer in
                writer.member("token", token)
                writer.member("revoked", revoked > 0)
            }
        }
    }
}

extension WireWriter {
    /// A token and its times, milliseconds since 1970.
    fileprivate mutating func members(of token: APIToken, created: Int64, revoked: Int64?) {
        member("token", token.token)
        members(of: ContainerPlace(container: token.container, environment: token.environment))
        member("name", token.name)
        member("origins", token.origins)
        member("callbackURL", token.callbackURL)
        member("created", created)
        member("revokedAt", revoked)
    }
}
