internal import CloudKitModel
internal import Foundation

/// The origin of web pages in the form that browsers send, such as `https://example.org`: in lower case, without the
/// scheme's default port.
struct WebOrigin: Sendable, Hashable {
    private static let ports = ["http": 80, "https": 443]

    /// The text of the origin.
    let text: String

    /// Parses an origin that an operator wrote.
    ///
    /// - Throws: `BAD_REQUEST` if the origin has a path or a user, or has no host.
    init(validating written: String) throws(ServerError) {
        guard WebAddress.isVisible(written), let parts = URLComponents(string: written),
            let scheme = parts.scheme?.lowercased(), let host = parts.host?.lowercased(), !host.isEmpty,
            parts.user == nil, parts.password == nil, parts.query == nil, parts.fragment == nil,
            ["", "/"].contains(parts.path)
        else { throw .originInvalid() }
        let port = parts.port.flatMap { Self.ports[scheme] == $0 ? nil : ":\($0)" } ?? ""
        text = "\(scheme)://\(host)\(port)"
        guard SignInCallback.isOrigin(text) else { throw .originInvalid() }
    }
}

extension ServerError {
    fileprivate static func originInvalid() -> ServerError {
        ServerError(
            .originInvalid,
            "An origin must have the form scheme://host or scheme://host:port, such as https://example.org",
            field: "origins")
    }
}

extension SignInCallback {
    /// Parses a callback URL that an operator wrote.
    ///
    /// - Throws: `BAD_REQUEST` if the URL is not absolute, has a fragment or a password, or has a scheme to which a
    ///   browser must not be redirected. http is allowed only for the user's own host, because otherwise the web auth
    ///   token could be read in transit.
    init(validating written: String) throws(ServerError) {
        guard WebAddress.isVisible(written), let callback = SignInCallback(written) else {
            throw ServerError(
                .callbackURLInvalid,
                "A callback URL must be absolute and have no fragment, such as https://example.org/signed-in. "
                    + "The app's own URL scheme is also allowed.",
                field: "callbackURL")
        }
        guard !callback.isInsecure else {
            throw ServerError(
                .callbackURLInvalid,
                "An http callback URL would send web auth tokens unencrypted. Use https. "
                    + "http is allowed only for localhost.",
                field: "callbackURL")
        }
        self = callback
    }
}

private enum WebAddress {
    static func isVisible(_ text: String) -> Bool {
        (1...2048).contains(text.utf8.count) && text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }
    }
}
