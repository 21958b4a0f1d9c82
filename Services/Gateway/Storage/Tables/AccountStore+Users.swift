internal import CloudKitModel
package import PostgresClient
internal import SignedTokens

extension AccountStore {
    /// Returns the user record name of an account in `container`. If the account has no name in the container, one is
    /// created. This takes a second round trip.
    ///
    /// - Throws: `PostgresError`, for example if the account has been removed.
    package func userName(of account: Int64, in container: String) async throws -> String {
        let find = Self.findUser(account, in: container)
        return try await pool.withConnection { connection in
            if let row = try await connection.pipeline([find])[0].first { return row.string(0) }
            // If two transactions create a name at the same time, the second one waits, adds nothing and reads the name
            // that the first one created.
            let results = try await connection.pipeline([Self.makeUser(account, in: container), find])
            guard let row = results[1].first else {
                throw PostgresError(.unexpected, message: "the user record name cannot be read although it was created")
            }
            return row.string(0)
        }
    }

    /// Returns the users of `container` whose accounts have these email addresses, ignoring case.
    ///
    /// - Throws: `PostgresError`.
    package func users(emails: [String], in container: String) async throws -> [ContainerUser] {
        let addresses = Set(emails.compactMap { EmailAddress($0)?.key })
        guard !addresses.isEmpty else { return [] }
        return try await users(in: container, where: "a.email_key = any($2)", addresses.sorted())
    }

    /// Returns the users of `container` with these user record names.
    ///
    /// - Throws: `PostgresError`.
    package func users(names: [String], in container: String) async throws -> [ContainerUser] {
        let names = Set(names.filter { (try? UserName(validating: $0)) != nil })
        guard !names.isEmpty else { return [] }
        return try await users(in: container, where: "u.user_name = any($2)", names.sorted())
    }

    // MARK: In a transaction

    /// Returns the user record name of an account in `container`, and creates one if there is none. Returns nil if the
    /// account has been removed.
    ///
    /// - Throws: `PostgresError`.
    package static func userName(
        of account: Int64, in container: String, on connection: PostgresConnection
    ) async throws -> String? {
        try await connection.pipeline([makeUser(account, in: container), findUser(account, in: container)])[1]
            .first?.string(0)
    }

    /// Gives an account a user record name in `container`. Returns false if the account already has a name in it, or if
    /// another account has the given name.
    ///
    /// - Throws: `PostgresError`.
    package static func addUser(
        _ name: String, of account: Int64, in container: String, on connection: PostgresConnection
    ) async throws -> Bool {
        let rows = try await connection.query(
            """
            insert into account.container_user (container, account, user_name) values ($1, $2, $3)
            on conflict do nothing returning user_name
            """, [.text(container), .int8(account), .text(name)])
        return !rows.isEmpty
    }

    /// Gives an account a user record name in `container`, unless it already has one there. The name is `_` followed by
    /// 32 random hexadecimal digits.
    static func makeUser(_ account: Int64, in container: String) -> PostgresCall {
        let random = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        return PostgresCall(
            """
            insert into account.container_user (container, account, user_name) values ($1, $2, $3)
            on conflict (container, account) do nothing
            """, [.text(container), .int8(account), .text("_" + Hexadecimal.encode(random))])
    }

    private static func findUser(_ account: Int64, in container: String) -> PostgresCall {
        PostgresCall(
            "select user_name from account.container_user where container = $1 and account = $2",
            [.text(container), .int8(account)])
    }
}
