/// A cookie of the sign-in pages: its name, where the browser sends it, and how it is read.
struct BrowserCookie: Sendable {
    private let name: String
    private let attributes: String

    /// The cookie of that name under `publicURL`.
    ///
    /// Over https it has the prefix `__Host-`, which keeps a neighbouring subdomain from setting it and demands the path
    /// `/`.
    ///
    /// - Parameter life: how long the browser keeps it; nil: until it is closed.
    init(_ name: String, publicURL: String, life: Duration? = nil) {
        let age = life.map { "; Max-Age=\($0.components.seconds)" } ?? ""
        if publicURL.hasPrefix("https://") {
            self.name = "__Host-\(name)"
            attributes = "Path=/; Secure; HttpOnly; SameSite=Lax\(age)"
        } else {
            self.name = name
            attributes = "Path=\(Self.path(of: publicURL))/signin; HttpOnly; SameSite=Lax\(age)"
        }
    }

    /// What `Set-Cookie` says.
    func setting(_ value: String) -> String { "\(name)=\(value); \(attributes)" }

    /// Its value among those that a browser sent; nil when it is absent.
    func value(in cookies: String?) -> Substring? {
        for pair in (cookies ?? "").split(separator: ";") {
            let parts = pair.split(separator: "=", maxSplits: 1)
            if parts.count == 2, parts[0].trimming(" ") == name { return parts[1].trimming(" ") }
        }
        return nil
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
