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
        else { throw .originInvalid() }
        let port = parts.port.flatMap { Self.ports[scheme] == $0 ? nil : ":\($0)" } ?? ""
        text = "\(scheme)://\(host)\(port)"
        guard SignInCallback.isOrigin(text) else { throw .originInvalid() }
    }
}

extension ServerError {
    fileprivate static func originInvalid() -> ServerError {
        ServerError(
            .originInvalid, "An origin is scheme://host or scheme://host:port, such as https://example.org",
            field: "origins")
    }
}

extension SignInCallback {
    /// Reads one that an operator gives.
    ///
    /// - Throws: `BAD_REQUEST`: it is not absolute, has a fragment or a password, a scheme to which no user can be sent, or
    ///   is one of http to another host than the user's own: the web auth token would be readable on its way.
    init(validating written: String) throws(ServerError) {
        guard WebAddress.isVisible(written), let callback = SignInCallback(written) else {
            throw ServerError(
                .callbackURLInvalid,
                "A callback URL is absolute, without a fragment: https://example.org/signed-in, or a scheme of the app's",
                field: "callbackURL")
        }
        guard !callback.isOpenToOthers else {
            throw ServerError(
                .callbackURLInvalid,
                "A callback URL of http sends web auth tokens in the clear. Use https; http is for localhost only.",
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
