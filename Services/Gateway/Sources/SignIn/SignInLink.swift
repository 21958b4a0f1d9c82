internal import GatewayStorage
internal import RequestServing
internal import SignedTokens

/// The address of the sign-in page for an API token: the `redirectURL` in a 421 (web-services 4.2).
struct SignInLink: Sendable {
    /// The content of an address.
    enum Content: Hashable, Sendable {
        /// The API token of the application to which users sign in.
        case token(String)
        /// The address has expired.
        case expired
    }

    /// How long an address is valid. CloudKit JS requests a new one every 14 minutes, but a user might take longer.
    static let life = Duration.seconds(30 * 60)
    private static let kind: UInt8 = 1
    private static let tokenLength = 32

    /// The gateway's public address.
    let publicURL: String
    /// The keys that sign addresses.
    let keys: SigningKeys
    /// Returns the current time, in milliseconds since 1970.
    var now: @Sendable () -> Int64 = { SystemClock.milliseconds() }

    /// Returns the address for a token, valid for ``life``.
    func url(for token: APIToken) -> String { "\(publicURL)/signin?t=\(seal(token.token))" }

    /// Returns the value of the `t` parameter. The value is not secret. It proves only that the gateway created it, and
    /// when.
    func seal(_ token: String) -> String {
        var payload = BinaryWriter()
        payload.append(Self.kind)
        payload.append(now())
        payload.append(raw: Hexadecimal.decode(token) ?? [])
        return SealedToken.sealForURL(payload.bytes, with: keys)
    }

    /// Decodes the result of ``seal(_:)``; returns nil if it is forged or damaged.
    func open(_ text: String) -> Content? {
        guard let payload = SealedToken.openFromURL(text, with: keys) else { return nil }
        var reader = BinaryReader(payload)
        guard reader.read(UInt8.self) == Self.kind, let issuedAt = reader.read(Int64.self),
            let token = reader.readRaw(Self.tokenLength), reader.isAtEnd
        else { return nil }
        let life = Self.life.components.seconds * 1000
        return now() - issuedAt < life ? .token(Hexadecimal.encode(token)) : .expired
    }
}
