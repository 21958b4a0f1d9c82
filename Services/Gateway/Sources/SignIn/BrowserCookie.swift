/// A cookie set by the sign-in pages: its name, its attributes, and access to its value.
struct BrowserCookie: Sendable {
    private let name: String
    private let attributes: String

    /// Creates a cookie for pages under `publicURL`.
    ///
    /// With https, the cookie's name has the prefix `__Host-`, which prevents a neighbouring subdomain from setting the
    /// cookie, and requires the path `/`.
    ///
    /// - Parameters:
    ///   - folder: with http, the first component of the path of the pages that receive the cookie.
    ///   - life: how long the browser keeps the cookie; if nil, the cookie is kept until the browser is closed.
    init(_ name: String, publicURL: String, folder: String = "signin", life: Duration? = nil) {
        let age = life.map { "; Max-Age=\($0.components.seconds)" } ?? ""
        if publicURL.hasPrefix("https://") {
            self.name = "__Host-\(name)"
            attributes = "Path=/; Secure; HttpOnly; SameSite=Lax\(age)"
        } else {
            self.name = name
            attributes = "Path=\(Self.path(of: publicURL))/\(folder); HttpOnly; SameSite=Lax\(age)"
        }
    }

    /// Returns the value of the `Set-Cookie` header.
    func setting(_ value: String) -> String { "\(name)=\(value); \(attributes)" }

    /// Returns the value of the cookie in a `Cookie` header; nil if it is absent.
    func value(in cookies: String?) -> Substring? {
        for pair in (cookies ?? "").split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0].trimming(" ") == name { return parts[1].trimming(" ") }
        }
        return nil
    }

    /// Returns the path of an address: `/zonda` for `http://example.org/zonda`; empty for an address without a path.
    private static func path(of url: String) -> Substring {
        let rest = url.drop { $0 != "/" }.dropFirst(2)
        return rest.drop { $0 != "/" }
    }
}

extension Substring {
    /// Returns the text with `character` stripped from both ends.
    fileprivate func trimming(_ character: Character) -> Substring {
        var text = drop { $0 == character }
        while text.last == character { text.removeLast() }
        return text
    }
}
