internal import CloudKitModel

/// A request to CloudKit Web Services.
struct WebRequest: Sendable {
    /// The first component of the path.
    enum Module: String, Sendable {
        case database
        /// For `tokens/create` and `tokens/register`, which belong to no database.
        case device
    }

    /// The first component of the path.
    var module = Module.database
    /// The database; nil for requests that belong to none.
    var database: DatabaseScope?
    /// The endpoint, such as `records/modify`.
    var action: String
    /// The JSON text of the body.
    var body: [UInt8]
    /// The name under which the server recognizes a repeat of the request.
    var idempotencyKey = UUID().uuidString

    /// Creates a request to a database.
    init(_ action: String, in database: DatabaseScope, body: [UInt8] = Array("{}".utf8)) {
        (self.action, self.database, self.body) = (action, database, body)
    }

    /// Creates a request to `tokens/create` or `tokens/register`.
    init(device action: String, body: [UInt8]) {
        (module, self.action, self.body) = (.device, action, body)
    }

    /// Whether the request changes something, so that its outcome is unknown if the answer is lost.
    var isWrite: Bool { action.hasSuffix("/modify") || action == "records/accept" }

    /// The path of the request at a place.
    func path(at place: ConnectionPlace) -> String {
        let container = PercentEncoding.text(place.container)
        let database = database.map { "/\($0.wireName)" } ?? ""
        return "/\(module.rawValue)/1/\(container)/\(place.environment)\(database)/\(action)"
    }
}

/// Percent-encodes values in a path or a query.
enum PercentEncoding {
    private static let plain = CharacterSet(
        charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")

    /// Returns the text with all characters encoded that are not unreserved (RFC 3986).
    static func text(_ text: String) -> String { text.addingPercentEncoding(withAllowedCharacters: plain) ?? text }
}
