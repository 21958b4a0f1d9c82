internal import CloudKitModel
internal import HTTPTypes

/// The credentials of a request (web-services 1.2 and 4).
enum Credentials: Sendable, Hashable {
    /// No credentials.
    case none
    /// Query parameters: an API token and, if a user has signed in, the user's web auth token.
    case tokens(api: String, webAuth: String?)
    /// Header fields of a server-to-server signature, some of which might be missing.
    case signature(SignatureHeaders)

    /// Reads the credentials of a request.
    ///
    /// - Throws: `BAD_REQUEST` if a request has both tokens and a signature (web-services 4.1). Neither has been
    ///   checked, so this is not an authentication failure. The client has to send a different request.
    init(_ request: GatewayRequest) throws(ServerError) {
        let webAuth =
            Self.token(request.query["ckWebAuthToken"]) ?? Self.token(request.query["ckSession"])
        let api = Self.token(request.query["ckAPIToken"])
        let signature = SignatureHeaders(request.headers)
        guard let signature else {
            guard api != nil || webAuth != nil else {
                self = .none
                return
            }
            guard let api else {
                throw ServerError(
                    .credentialsMissing, "A web auth token is valid only together with its API token",
                    field: "ckAPIToken")
            }
            self = .tokens(api: api, webAuth: webAuth)
            return
        }
        guard api == nil, webAuth == nil else {
            throw ServerError(
                .credentialsCombined, "Tokens and a server-to-server signature must not be combined",
                field: api == nil ? "ckWebAuthToken" : "ckAPIToken")
        }
        self = .signature(signature)
    }

    /// Returns a token without the escapes that clients add. If a client escapes a token twice, the decoded value still
    /// contains escapes. Each space stands for a `+` that was not escaped and was therefore decoded as a space on the
    /// way to the gateway (web-services 4.3). Returns nil if the token is absent, or is one of the placeholders that
    /// clients send before a user has signed in (web-services 12).
    static func token(_ value: String?) -> String? {
        guard var value else { return nil }
        for _ in 0..<2 where value.utf8.contains(UInt8(ascii: "%")) {
            value = QueryParameters("t=\(value)")["t"] ?? value
        }
        if value.utf8.contains(UInt8(ascii: " ")) { value = value.replacing(" ", with: "+") }
        return value.isEmpty || value == "null" || value == "undefined" ? nil : value
    }
}

/// The header fields of a signed request (web-services 4.4).
struct SignatureHeaders: Sendable, Hashable {
    /// The `X-Apple-CloudKit-Request-KeyID` field.
    var keyID: String?
    /// The `X-Apple-CloudKit-Request-ISO8601Date` field.
    var date: String?
    /// The `X-Apple-CloudKit-Request-SignatureV1` field.
    var signature: String?

    private static let names = ["KeyID", "ISO8601Date", "SignatureV1"].map {
        HTTPField.Name("X-Apple-CloudKit-Request-\($0)")
    }

    /// Reads the header fields of a request; returns nil if all of them are missing.
    init?(_ headers: HTTPFields) {
        let values = Self.names.map { name in name.flatMap { headers[$0] } }
        guard values.contains(where: { $0 != nil }) else { return nil }
        (keyID, date, signature) = (values[0], values[1], values[2])
    }
}
