internal import SignedTokens

/// The address of the sign-in page for an API token: what a 421 gives as `redirectURL` (web-services 4.2).
struct SignInLink: Sendable {
    /// The gateway's public address.
    let publicURL: String
    /// Signs it.
    let keys: SigningKeys

    /// The address, good for half an hour: CloudKit JS asks for a new one every 14 minutes.
    func url(for token: APIToken) -> String { "" }
}
