internal import CloudKitModel
internal import Foundation
internal import PostgresClient
internal import RequestServing
internal import SignedTokens

/// The accounts, their sign-ins, and the names by which containers know them. Unless it says otherwise a function is one
/// round trip; what cannot be the name of anything is not asked for.
struct AccountStore: Sendable {
    let pool: PostgresPool
    /// Signs web auth tokens.
    let keys: SigningKeys
    /// What the hashes of new passwords cost.
    var passwordCost = PasswordHash.usualCost
    /// How long sign-ins last, and how many an account may have.
    var sessionBounds = SessionBounds()
    /// Called when there is something to forget: see ``Departures``.
    var onDeparture: @Sendable () -> Void = {}
    /// Milliseconds since 1970.
    var now: @Sendable () -> Int64 = { SystemClock.milliseconds() }

    private static let columns = "a.id, a.email, a.given_name, a.family_name, a.is_discoverable"

    /// The account of an e-mail address, whatever its case, and its password as ``PasswordHash`` has it; nil when there is
    /// none.
    ///
    /// - Throws: `PostgresError`.
    func account(email: String) async throws -> (account: Account, password: String?)? {
        guard let address = EmailAddress(email) else { return nil }
        return try await rows(
            "select \(Self.columns), a.password from account.account a where a.email_key = $1", [.text(address.key)]
        ).first.map { (Self.account($0), $0.stringIfPresent(5)) }
    }

    /// The account; nil when it is gone.
    ///
    /// - Throws: `PostgresError`.
    func account(id: Int64) async throws -> Account? {
        try await rows("select \(Self.columns) from account.account a where a.id = $1", [.int8(id)])
            .first.map(Self.account)
    }

    /// The name by which `container` knows an account; made when it has none, which takes a second round trip.
    ///
    /// - Throws: `PostgresError`, also when the account is gone.
    func userName(of account: Int64, in container: String) async throws -> String {
        let find = PostgresCall(
            "select user_name from account.container_user where container = $1 and account = $2",
            [.text(container), .int8(account)])
        return try await pool.withConnection { connection in
            if let row = try await connection.pipeline([find])[0].first { return row.string(0) }
            // Of two that make one the later waits, adds nothing, and reads the other's.
            let results = try await connection.pipeline([Self.makeUser(account, in: container), find])
            guard let row = results[1].first else {
                throw PostgresError(.unexpected, message: "a user name that was made is not there")
            }
            return row.string(0)
        }
    }

    /// Gives the account a name in the container unless it has one: `_` and 32 random hexadecimal digits.
    static func makeUser(_ account: Int64, in container: String) -> PostgresCall {
        let random = (0..<16).map { _ in UInt8.random(in: .min ... .max) }
        return PostgresCall(
            """
            insert into account.container_user (container, account, user_name) values ($1, $2, $3)
            on conflict (container, account) do nothing
            """, [.text(container), .int8(account), .text("_" + Hexadecimal.encode(random))])
    }

    /// Those of the accounts with these e-mail addresses (without regard to case) that `container` knows.
    ///
    /// - Throws: `PostgresError`.
    func users(emails: [String], in container: String) async throws -> [ContainerUser] {
        let addresses = Set(emails.compactMap { EmailAddress($0)?.key })
        guard !addresses.isEmpty else { return [] }
        return try await rows(
            """
            select \(Self.columns), u.user_name from account.account a
            join account.container_user u on u.container = $1 and u.account = a.id
            where a.email_key = any($2)
            """, [.text(container), .textArray(addresses.sorted())]
        ).map { ContainerUser(account: Self.account($0), userName: $0.string(5)) }
    }

    /// Those of the accounts with these user record names in `container`.
    ///
    /// - Throws: `PostgresError`.
    func users(names: [String], in container: String) async throws -> [ContainerUser] {
        let names = Set(names.filter { (try? UserName(validating: $0)) != nil })
        guard !names.isEmpty else { return [] }
        return try await rows(
            """
            select \(Self.columns), u.user_name from account.container_user u
            join account.account a on a.id = u.account
            where u.container = $1 and u.user_name = any($2)
            """, [.text(container), .textArray(names.sorted())]
        ).map { ContainerUser(account: Self.account($0), userName: $0.string(5)) }
    }

    /// Runs one statement.
    ///
    /// - Throws: `PostgresError`.
    func rows(_ sql: String, _ parameters: [PostgresParameter]) async throws -> PostgresResult {
        try await pool.withConnection { try await $0.query(PostgresStatement(sql), parameters) }
    }

    private static func account(_ row: PostgresRow) -> Account {
        Account(
            id: row.int64(0), email: row.string(1), givenName: row.stringIfPresent(2),
            familyName: row.stringIfPresent(3), isDiscoverable: row.bool(4))
    }
}
