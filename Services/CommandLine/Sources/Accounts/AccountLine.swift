import CloudKitModel
import CommandLineSession
import OperatorMessages

/// Accounts, sessions, API tokens and keys as lines of text.
enum AccountLine {
    /// Returns an account as a line: `ada@example.org  Ada Doe  2026-01-15T18:00:00Z  iCloud.org.example.notes _0…1`.
    static func user(_ user: UserAccount) -> String {
        let names = [user.givenName, user.familyName].compactMap(\.self).joined(separator: " ")
        let marks = [user.hasPassword ? nil : "no password", user.discoverable ? "discoverable" : nil]
        let containers =
            user.containers?.map { "\($0.container) \($0.userRecordName)" }
            ?? [user.container.map { "\($0) \(user.userRecordName ?? "")" }].compactMap(\.self)
        return join([user.email, names, Moment.text(user.created)] + marks + containers)
    }

    /// Returns a session as a line:
    /// `2026-01-15T18:00:00Z  last used 2026-01-16T09:00:00Z  iCloud.org.example.notes  …`.
    static func signIn(_ signIn: UserSignIn) -> String {
        join([
            Moment.text(signIn.created), "last used \(Moment.text(signIn.lastUsed))", signIn.container,
            signIn.environment, signIn.application, signIn.address, "until \(Moment.text(signIn.endsAt))",
        ])
    }

    /// Returns an API token as a line: `0…f  iCloud.org.example.notes  development  web  https://example.org`.
    static func token(_ token: APITokenStatus) -> String {
        join([
            token.token, token.container, token.environment, token.name, token.origins.joined(separator: ", "),
            token.callbackURL, revoked(token.revokedAt),
        ])
    }

    /// Returns a key as a line: `0…f  iCloud.org.example.notes  production  importer  _0…1`.
    static func key(_ key: ServerKeyStatus) -> String {
        join([
            key.keyID, key.container, key.environment, key.name, key.userRecordName, revoked(key.revokedAt),
        ])
    }

    /// Returns the result of revoking the token or key `id`.
    static func revocation(_ id: String, wasActive: Bool) -> String {
        "\(id)  \(wasActive ? "revoked" : "was not active")"
    }

    private static func revoked(_ time: Int64?) -> String? { time.map { "revoked \(Moment.text($0))" } }

    private static func join(_ parts: [String?]) -> String {
        parts.compactMap(\.self).filter { !$0.isEmpty }.joined(separator: "  ")
    }
}
