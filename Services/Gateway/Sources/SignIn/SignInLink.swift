internal import GatewayStorage
internal import RequestServing
internal import SignedTokens

/// The address of the sign-in page for an API token: what a 421 gives as `redirectURL` (web-services 4.2).
struct SignInLink: Sendable {
    /// What an address says.
    enum Content: Hashable, Sendable {
        /// Users are to sign in for this API token.
        case token(String)
        /// Its time is over.
        case expired
    }

    /// CloudKit JS asks for a new one every 14 minutes; people take their time.
    static let life = Duration.seconds(30 * 60)
    private static let kind: UInt8 = 1
    private static let tokenLength = 32

    /// The gateway's public address.
    let publicURL: String
    /// Signs it.
    let keys: SigningKeys
    /// Milliseconds since 1970.
    var now: @Sendable () -> Int64 = { SystemClock.milliseconds() }

    /// The address, good for half an hour: CloudKit JS asks for a new one every 14 minutes.
    func url(for token: APIToken) -> String { "\(publicURL)/signin?t=\(seal(token.token))" }

    /// What stands behind `t=`. No secret: it proves only that the gateway made it, and when.
    func seal(_ token: String) -> String {
        var payload = BinaryWriter()
        payload.append(Self.kind)
        payload.append(now())
        payload.append(raw: Hexadecimal.decode(token) ?? [])
        return SealedToken.sealForURL(payload.bytes, with: keys)
    }

    /// What ``seal(_:)`` made; nil when it is forged or damaged.
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
