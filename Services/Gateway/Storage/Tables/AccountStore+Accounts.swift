package import PostgresClient

extension AccountStore {
    private static let columns = "a.id, a.email, a.given_name, a.family_name, a.is_discoverable"

    /// Returns the account with the given email address (ignoring case) and the hash of its password; nil if there is
    /// no such account.
    ///
    /// - Throws: `PostgresError`.
    package func account(email: String) async throws -> (account: Account, password: String?)? {
        guard let address = EmailAddress(email) else { return nil }
        return try await rows(
            "select \(Self.columns), a.password from account.account a where a.email_key = $1", [.text(address.key)]
        ).first.map { (Self.account($0), $0.stringIfPresent(5)) }
    }

    /// Returns the account with the given id; nil if it has been removed.
    ///
    /// - Throws: `PostgresError`.
    package func account(id: Int64) async throws -> Account? {
        try await rows("select \(Self.columns) from account.account a where a.id = $1", [.int8(id)])
            .first.map(Self.account)
    }

    /// Returns the account with the given id and the hash of its password; nil if the account has been removed.
    ///
    /// - Throws: `PostgresError`.
    package func visitor(id: Int64) async throws -> (account: Account, password: String?)? {
        try await rows("select \(Self.columns), a.password from account.account a where a.id = $1", [.int8(id)])
            .first.map { (Self.account($0), $0.stringIfPresent(5)) }
    }

    /// Returns up to `limit` accounts that come after `emailKey`, ordered by ``AccountListing/emailKey``.
    ///
    /// - Throws: `PostgresError`.
    package func accounts(after emailKey: String, limit: Int) async throws -> [AccountListing] {
        try await rows(
            """
            select \(Self.columns), a.email_key, a.password is not null, a.created_at,
                array(select u.container from account.container_user u where u.account = a.id order by u.container),
                array(select u.user_name from account.container_user u where u.account = a.id order by u.container)
            from account.account a where a.email_key > $1 order by a.email_key limit $2
            """, [.text(emailKey), .int8(Int64(limit))]
        ).map { row in
            AccountListing(
                account: Self.account(row), emailKey: row.string(5), hasPassword: row.bool(6),
                createdAt: row.milliseconds(7),
                users: zip(row.textArray(8), row.textArray(9)).map { (container: $0, userName: $1) })
        }
    }

    // MARK: In a transaction

    /// Adds an account, and returns its id and its creation time in milliseconds since 1970. Returns nil if the address
    /// already has an account.
    ///
    /// - Throws: `PostgresError`.
    package static func add(
        _ account: NewAccount, on connection: PostgresConnection
    ) async throws -> (id: Int64, createdAt: Int64)? {
        let rows = try await connection.query(
            """
            insert into account.account (email, email_key, given_name, family_name, password, is_discoverable)
            values ($1, $2, $3, $4, $5, $6) on conflict (email_key) do nothing returning id, created_at
            """,
            [
                .text(account.email.text), .text(account.email.key), .text(account.givenName),
                .text(account.familyName), .text(account.password), .bool(account.isDiscoverable),
            ])
        return rows.first.map { ($0.int64(0), $0.milliseconds(1)) }
    }

    /// Returns the id of the account with the given address; nil if there is no such account. The account cannot be
    /// removed before the transaction ends.
    ///
    /// - Throws: `PostgresError`.
    package static func accountID(
        of email: EmailAddress, on connection: PostgresConnection
    ) async throws -> Int64? {
        try await connection.query(
            "select id from account.account where email_key = $1 for key share", [.text(email.key)]
        ).first?.int64(0)
    }

    /// Removes the account with the given address, along with its sessions and its user record names. Adds departures
    /// for these sessions and users. Returns false if there is no such account. Takes two round trips.
    ///
    /// - Throws: `PostgresError`.
    package static func removeAccount(
        of email: EmailAddress, on connection: PostgresConnection
    ) async throws -> Bool {
        let found = try await connection.query(
            "select id from account.account where email_key = $1 for update", [.text(email.key)])
        guard let account = found.first?.int64(0) else { return false }
        _ = try await connection.pipeline([
            endSessions(of: account), departUsers(of: account),
            PostgresCall("delete from account.account where id = $1", [.int8(account)]),
        ])
        return true
    }

    /// Replaces the hash of an account's password or, if `hash` is nil, removes the password.
    ///
    /// - Throws: `PostgresError`.
    package static func setPassword(
        _ hash: String?, of account: Int64, on connection: PostgresConnection
    ) async throws {
        _ = try await connection.query(
            "update account.account set password = $2 where id = $1", [.int8(account), .text(hash)])
    }

    /// Returns the users of `container` whose accounts meet a condition.
    ///
    /// - Parameter condition: a constant SQL condition on `a` (`account.account`) and `u` (`account.container_user`),
    ///   in which `$1` is the container and `$2` is `values`.
    func users(in container: String, where condition: String, _ values: [String]) async throws -> [ContainerUser] {
        try await rows(
            """
            select \(Self.columns), u.user_name from account.account a
            join account.container_user u on u.account = a.id where u.container = $1 and \(condition)
            """, [.text(container), .textArray(values)]
        ).map { ContainerUser(account: Self.account($0), userName: $0.string(5)) }
    }

    private static func account(_ row: PostgresRow) -> Account {
        Account(
            id: row.int64(0), email: row.string(1), givenName: row.stringIfPresent(2),
            familyName: row.stringIfPresent(3), isDiscoverable: row.bool(4))
    }
}
