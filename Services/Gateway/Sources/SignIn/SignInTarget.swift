internal import CloudKitModel
internal import GatewayStorage
internal import HTTPServing

/// The recipient of the web auth token of a user who signs in. Only recipients that the API token lists are possible,
/// no matter which page opened the sign-in page.
enum SignInTarget: Hashable, Sendable {
    /// An address to which the browser is sent, with the token in the query.
    case callback(SignInCallback)
    /// The window that opened the page, if it has one of these origins. The token is posted to it.
    case origins([String])
    /// The API token lists no recipient.
    case none

    /// Creates the recipient that an API token lists. A callback URL takes precedence over origins.
    init(_ token: APIToken) {
        if let text = token.callbackURL {
            self = SignInCallback(text).map(Self.callback) ?? .none
        } else {
            let origins = token.origins.filter(SignInCallback.isOrigin)
            self = origins.isEmpty ? .none : .origins(origins)
        }
    }

    /// The recipient as the sign-in page shows it to the user.
    var text: String {
        switch self {
        case .callback(let callback): callback.origin
        case .origins(let origins): origins.joined(separator: ", ")
        case .none: ""
        }
    }

    /// The source that `form-action` must allow in addition to the page's own origin, because browsers also apply
    /// `form-action` to redirects; nil if there is none.
    var formAction: String? {
        if case .callback(let callback) = self { callback.origin } else { nil }
    }
}

/// An address to which the gateway is allowed to redirect a browser. Its scheme is http, https or an application's own.
/// It contains no fragment, and no characters with a special meaning in a header.
struct SignInCallback: Hashable, Sendable {
    /// The address as it was given.
    let text: String
    /// The source in the form that a Content-Security-Policy uses: the scheme and authority of a web address, or
    /// another scheme with its colon.
    let origin: String

    /// Parses an address; returns nil if a browser must not be redirected to it.
    init?(_ text: String) {
        let scheme = text.prefix { $0 != ":" }
        guard text.utf8.allSatisfy(Self.isHarmless), Self.isScheme(scheme), scheme.utf8.count < text.utf8.count
        else { return nil }
        let rest = text.dropFirst(scheme.count + 1)
        switch scheme.lowercased() {
        case "http", "https":
            let authority = rest.dropFirst(2).prefix { $0 != "/" && $0 != "?" }
            guard rest.hasPrefix("//"), Self.isAuthority(authority) else { return nil }
            origin = "\(scheme.lowercased())://\(authority)"
        // These schemes run code in the page, or show arbitrary content.
        case "javascript", "data", "vbscript", "blob", "about", "file", "filesystem", "view-source", "ws", "wss":
            return nil
        default: origin = "\(scheme.lowercased()):"
        }
        self.text = text
    }

    /// Returns the address with parameters added to its query, percent-encoded.
    func adding(_ parameters: KeyValuePairs<String, String>...) -> String {
        let added = parameters.joined().map { "\($0.key)=\(Self.encoded($0.value))" }.joined(separator: "&")
        let joint =
            switch text.last {
            case "?", "&": ""
            default: text.contains("?") ? "&" : "?"
            }
        return text + joint + added
    }

    /// Whether a request to the address can be read in transit: http to a host other than the user's own machine.
    var isInsecure: Bool {
        guard origin.hasPrefix("http://") else { return false }
        let authority = origin.dropFirst("http://".count).lowercased()
        let host = authority.first == "[" ? authority.prefix { $0 != "]" } + "]" : authority.prefix { $0 != ":" }
        let isOwn = host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
        return !isOwn
            && AddressRange("127.0.0.0/8").map { range in IPAddress(host).map(range.contains) ?? false } != true
    }

    /// Returns whether `text` is an origin in the form that browsers write: scheme, host and port of a website or an
    /// application.
    static func isOrigin(_ text: String) -> Bool {
        guard let mark = text.firstRange(of: "://") else { return false }
        return isScheme(text[..<mark.lowerBound]) && isAuthority(text[mark.upperBound...])
    }

    private static func isScheme(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, isLetter(first) else { return false }
        return text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "+-.".utf8.contains($0) }
    }

    /// Returns whether `text` consists of a host and an optional port, without a user or password.
    private static func isAuthority(_ text: Substring) -> Bool {
        !text.isEmpty && text.utf8.allSatisfy { isLetter($0) || isDigit($0) || "-._:[]".utf8.contains($0) }
    }

    /// Returns whether a byte is a visible ASCII character that an address is allowed to contain. A fragment is not
    /// allowed.
    private static func isHarmless(_ byte: UInt8) -> Bool {
        (0x21...0x7E).contains(byte) && !"\"<>\\^`{|}#".utf8.contains(byte)
    }

    private static func encoded(_ text: String) -> String {
        var bytes: [UInt8] = []
        let digits = Array("0123456789ABCDEF".utf8)
        for byte in text.utf8 {
            if isLetter(byte) || isDigit(byte) || "-._~".utf8.contains(byte) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func isLetter(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
