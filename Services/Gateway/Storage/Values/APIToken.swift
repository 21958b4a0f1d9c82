internal import CloudKitModel
internal import SignedTokens

/// A container's API token: whoever has it may ask for what is public, and send users to the sign-in page.
struct APIToken: Sendable, Hashable {
    /// 64 hexadecimal digits.
    var token: String
    /// Of which container.
    var container: String
    /// And which of its environments.
    var environment: EnvironmentName
    /// What the operator calls it.
    var name: String
    /// The web origins that may use it (`https://example.org`); none: any.
    var origins: [String]
    /// Where the sign-in page sends the user with the web auth token; nil: it posts a message to the window that opened it.
    var callbackURL: String?

    /// Whether a text has the form of a token, or of a server-to-server key's id: 64 hexadecimal digits, which clients
    /// insist on.
    static func isToken(_ text: String) -> Bool {
        text.utf8.count == 64 && Hexadecimal.decode(text) != nil
    }
}
