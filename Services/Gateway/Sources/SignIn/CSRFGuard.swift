internal import Crypto
internal import SignedTokens

/// Prevents cross-site request forgery. The browser keeps a random value in a cookie. The form contains a signature
/// over the same value and the purpose of the form. Another site can send neither the cookie, which is `SameSite`, nor
/// the signature.
struct CSRFGuard: Sendable {
    /// The cookie and the hidden field of a page with a form.
    struct Ticket: Sendable {
        /// The value of the `Set-Cookie` header.
        var cookie: String
        /// The value of the form's hidden field.
        var field: String
    }

    private static let kind: UInt8 = 2
    private static let randomLength = 16
    /// The length of a subject's digest, in bytes. A short digest suffices, because it is signed.
    private static let subjectLength = 16

    private let keys: SigningKeys
    private let cookie: BrowserCookie

    /// Creates a guard for forms under `publicURL`.
    ///
    /// - Parameter folder: the first component of the path of the forms.
    init(publicURL: String, keys: SigningKeys, folder: String = "signin") {
        self.keys = keys
        cookie = BrowserCookie("zonda-signin", publicURL: publicURL, folder: folder)
    }

    /// Returns the cookie and the field of a form for `subject`. If the browser already has a value, that value is
    /// kept, so that forms in two windows both work.
    func ticket(for subject: String, cookies: String?) -> Ticket {
        let random = value(in: cookies) ?? Self.random()
        return Ticket(
            cookie: cookie.setting(Base64URL.encode(random)),
            field: SealedToken.sealForURL([Self.kind] + random + Self.digest(of: subject), with: keys))
    }

    /// Returns whether the field was issued to this browser for `subject`.
    func accepts(_ field: String?, for subject: String, cookies: String?) -> Bool {
        guard let field, let random = value(in: cookies), let payload = SealedToken.openFromURL(field, with: keys)
        else { return false }
        return payload == [Self.kind] + random + Self.digest(of: subject)
    }

    private func value(in cookies: String?) -> [UInt8]? {
        guard let text = cookie.value(in: cookies), let value = Base64URL.decode(text),
            value.count == Self.randomLength
        else { return nil }
        return value
    }

    private static func random() -> [UInt8] { (0..<randomLength).map { _ in UInt8.random(in: .min ... .max) } }

    private static func digest(of subject: String) -> [UInt8] {
        Array(SHA256.hash(data: Array(subject.utf8)).prefix(subjectLength))
    }
}
