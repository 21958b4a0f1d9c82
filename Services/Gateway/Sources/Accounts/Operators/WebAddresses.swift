internal import CloudKitModel
internal import Foundation

/// The origin of web pages, as browsers send it: `https://example.org`, without the scheme's own port, in lower case.
struct WebOrigin: Sendable, Hashable {
    private static let ports = ["http": 80, "https": 443]

    /// The origin.
    let text: String

    /// Reads one that an operator gives.
    ///
    /// - Throws: `BAD_REQUEST`: there is a path, a user, or no host.
    init(validating written: String) throws(ServerError) {
        guard WebAddress.isVisible(written), let parts = URLComponents(string: written),
            let scheme = parts.scheme?.lowercased(), let host = parts.host?.lowercased(), !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
            ["", "/"].contains(parts.path)
        else {
            throw ServerError(
                .originInvalid, "An origin is scheme://host or scheme://host:port, such as https://example.org",
                field: "origins")
        }
        let port = parts.port.flatMap { Self.ports[scheme] == $0 ? nil : ":\($0)" } ?? ""
        text = "\(scheme)://\(host)\(port)"
    }
}

/// Where the sign-in page sends a user with a web auth token.
struct CallbackURL: Sendable, Hashable {
    /// Of these a page runs or opens what it should not.
    private static let refused: Set = [
        "javascript", "data", "vbscript", "file", "blob", "about", "filesystem", "ws", "wss",
    ]

    /// As it was given.
    let text: String

    /// Reads one that an operator gives.
    ///
    /// - Throws: `BAD_REQUEST`: it is not absolute, has a fragment, or a scheme to which no user can be sent.
    init(validating written: String) throws(ServerError) {
        let parts = WebAddress.isVisible(written) ? URLComponents(string: written) : nil
        guard let parts, let scheme = parts.scheme?.lowercased(), !scheme.isEmpty,
            !Self.refused.contains(scheme), parts.fragment == nil,
            !["http", "https"].contains(scheme) || parts.host?.isEmpty == false
        else {
            throw ServerError(
                .callbackURLInvalid,
                "A callback URL is absolute, without a fragment: https://example.org/signed-in, or a scheme of the app's",
                field: "callbackURL")
        }
        text = written
    }
}

private enum WebAddress {
    static func isVisible(_ text: String) -> Bool {
        (1...2048).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
