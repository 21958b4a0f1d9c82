internal import Crypto
internal import SignedTokens

/// Tells a form that comes back from the browser to which it was given from one that another site made up (cross-site
/// request forgery): the browser has a random value in a cookie, and the form has the same value signed, together with
/// what the form is for. A site can send neither the cookie, which is `SameSite`, nor a signature over its value.
struct FormGuard: Sendable {
    /// What goes with a page that has a form.
    struct Ticket: Sendable {
        /// The value of `Set-Cookie`.
        var cookie: String
        /// The value of the form's hidden field.
        var field: String
    }

    private static let kind: UInt8 = 2
    private static let randomLength = 16
    /// Of a digest; the signature over it makes it sure.
    private static let subjectLength = 16

    private let keys: SigningKeys
    private let cookieName: String
    private let cookieAttributes: String

    /// A guard of forms under `publicURL`.
    ///
    /// Over https the cookie has the prefix `__Host-`, which keeps a neighbouring subdomain from setting it and
    /// demands the path `/`.
    init(publicURL: String, keys: SigningKeys) {
        self.keys = keys
        if publicURL.hasPrefix("https://") {
            cookieName = "__Host-zonda-signin"
            cookieAttributes = "Path=/; Secure; HttpOnly; SameSite=Lax"
        } else {
            cookieName = "zonda-signin"
            cookieAttributes = "Path=\(Self.path(of: publicURL))/signin; HttpOnly; SameSite=Lax"
        }
    }

    /// The cookie and the field for a form about `subject`. A browser keeps the value that it has, so that pages in two
    /// windows both work.
    func ticket(for subject: String, cookies: String?) -> Ticket {
        let random = value(in: cookies) ?? Self.random()
        return Ticket(
            cookie: "\(cookieName)=\(Base64URL.encode(random)); \(cookieAttributes)",
            field: SealedToken.sealForURL([Self.kind] + random + Self.digest(of: subject), with: keys))
    }

    /// Whether the field is one that this browser was given for `subject`.
    func accepts(_ field: String?, for subject: String, cookies: String?) -> Bool {
        guard let field, let random = value(in: cookies), let payload = SealedToken.openFromURL(field, with: keys)
        else { return false }
        return payload == [Self.kind] + random + Self.digest(of: subject)
    }

    private func value(in cookies: String?) -> [UInt8]? {
        for pair in (cookies ?? "").split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].trimming(" ") == cookieName else { continue }
            guard let value = Base64URL.decode(parts[1].trimming(" ")), value.count == Self.randomLength else {
                return nil
            }
            return value
        }
        return nil
    }

    private static func random() -> [UInt8] { (0..<randomLength).map { _ in UInt8.random(in: .min ... .max) } }

    private static func digest(of subject: String) -> [UInt8] {
        Array(SHA256.hash(data: Array(subject.utf8)).prefix(subjectLength))
    }

    /// `/zonda` of `http://example.org/zonda`; empty for an address without a path.
    private static func path(of url: String) -> Substring {
        let rest = url.drop { $0 != "/" }.dropFirst(2)
        return rest.drop { $0 != "/" }
    }
}

extension Substring {
    /// Without that character at either end.
    fileprivate func trimming(_ character: Character) -> Substring {
        var text = drop { $0 == character }
        while text.last == character { text.removeLast() }
        return text
    }
}
