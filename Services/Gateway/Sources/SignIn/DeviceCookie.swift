internal import Crypto
internal import GatewayStorage
internal import RequestServing
internal import SignedTokens

/// A signed cookie that shows that an account has signed in with this browser before. Attempts from this browser are
/// counted separately (``SignInThrottle``), so a stranger who guesses passwords cannot prevent the user from signing
/// in.
///
/// The cookie proves nothing else and does not replace a password. A browser has only one of these cookies, for the
/// account that signed in last.
struct DeviceCookie: Sendable {
    private static let kind: UInt8 = 3
    private static let idLength = 16
    private static let accountLength = 16
    /// How long the cookie is valid after a sign-in.
    private static let life = Duration.seconds(365 * 86_400)

    private let cookie: BrowserCookie
    private let keys: SigningKeys
    private let now: @Sendable () -> Int64

    /// Creates the cookies for pages under `publicURL`.
    ///
    /// - Parameter now: returns the current time, in milliseconds since 1970.
    init(
        publicURL: String, keys: SigningKeys, now: @escaping @Sendable () -> Int64 = { SystemClock.milliseconds() }
    ) {
        cookie = BrowserCookie("zonda-device", publicURL: publicURL, life: Self.life)
        self.keys = keys
        self.now = now
    }

    /// Returns the id of the browser that sent `cookies`; nil unless `email` has signed in with this browser before.
    func device(of email: EmailAddress, in cookies: String?) -> [UInt8]? {
        guard let text = cookie.value(in: cookies), text.utf8.count <= 256,
            let payload = SealedToken.openFromURL(String(text), with: keys)
        else { return nil }
        var reader = BinaryReader(payload)
        guard reader.read(UInt8.self) == Self.kind, let issuedAt = reader.read(Int64.self),
            let id = reader.readRaw(Self.idLength), let account = reader.readRaw(Self.accountLength), reader.isAtEnd,
            now() - issuedAt < Self.life.components.seconds * 1000, Array(account) == Self.digest(of: email)
        else { return nil }
        return Array(id)
    }

    /// Returns the value of the `Set-Cookie` header to send after `email` has signed in.
    ///
    /// - Parameter device: the id of the browser; nil assigns a new one.
    func setting(for email: EmailAddress, device: [UInt8]?) -> String {
        var payload = BinaryWriter()
        payload.append(Self.kind)
        payload.append(now())
        payload.append(raw: device ?? (0..<Self.idLength).map { _ in UInt8.random(in: .min ... .max) })
        payload.append(raw: Self.digest(of: email))
        return cookie.setting(SealedToken.sealForURL(payload.bytes, with: keys))
    }

    private static func digest(of email: EmailAddress) -> [UInt8] {
        Array(SHA256.hash(data: Array(email.key.utf8)).prefix(accountLength))
    }
}
