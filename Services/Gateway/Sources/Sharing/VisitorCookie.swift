internal import Crypto
internal import GatewayStorage
internal import RequestServing
internal import SignedTokens

/// A signed cookie that shows that the user of an account has signed in on the page that a link opens. It is valid for
/// ``life``, or until the account's password changes if that is sooner. No other page accepts it.
struct VisitorCookie: Sendable {
    /// How long the cookie is valid.
    static let life = Duration.seconds(15 * 60)

    /// The content of a cookie.
    struct Visit: Hashable, Sendable {
        /// The id of the account.
        let account: Int64
        fileprivate let password: [UInt8]

        /// Whether the account still has the password with this hash.
        func isOf(password hash: String?) -> Bool { password == VisitorCookie.digest(of: hash) }
    }

    private static let kind: UInt8 = 4
    private static let digestLength = 16

    private let cookie: BrowserCookie
    private let keys: SigningKeys
    private let now: @Sendable () -> Int64

    /// Creates the cookies for pages under `publicURL`.
    ///
    /// - Parameter now: returns the current time, in milliseconds since 1970.
    init(publicURL: String, keys: SigningKeys, now: @escaping @Sendable () -> Int64) {
        cookie = BrowserCookie("zonda-visitor", publicURL: publicURL, folder: "share", life: Self.life)
        self.keys = keys
        self.now = now
    }

    /// Returns the content of the cookie in a `Cookie` header; nil if there is none, or if it is no longer valid.
    func visit(in cookies: String?) -> Visit? {
        guard let text = cookie.value(in: cookies), text.utf8.count <= 256,
            let payload = SealedToken.openFromURL(String(text), with: keys)
        else { return nil }
        var reader = BinaryReader(payload)
        guard reader.read(UInt8.self) == Self.kind, let issuedAt = reader.read(Int64.self),
            let account = reader.read(Int64.self), let password = reader.readRaw(Self.digestLength), reader.isAtEnd,
            now() - issuedAt < Self.life.components.seconds * 1000
        else { return nil }
        return Visit(account: account, password: Array(password))
    }

    /// Returns the value of the `Set-Cookie` header to send after a user has signed in.
    ///
    /// - Parameter hash: the hash of the account's password.
    func setting(account: Int64, password hash: String?) -> String {
        var payload = BinaryWriter()
        payload.append(Self.kind)
        payload.append(now())
        payload.append(account)
        payload.append(raw: Self.digest(of: hash))
        return cookie.setting(SealedToken.sealForURL(payload.bytes, with: keys))
    }

    private static func digest(of hash: String?) -> [UInt8] {
        Array(SHA256.hash(data: Array((hash ?? "").utf8)).prefix(digestLength))
    }
}
