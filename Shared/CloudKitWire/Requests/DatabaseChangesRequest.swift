package import CloudKitModel

/// The body of `changes/database` and of the older `zones/changes`, which has a separate key for the token.
package struct DatabaseChangesRequest: Hashable, Sendable {
    /// The token from the previous page; nil to start at the beginning.
    package var syncToken: String?
    /// The token of `zones/changes`, which ignores `syncToken`.
    package var metaSyncToken: String?
    /// The maximum number of zones per page; nil for the server's default.
    package var resultsLimit: Int?

    /// Creates a request to send.
    package init(syncToken: String? = nil, resultsLimit: Int? = nil) {
        self.syncToken = syncToken
        self.resultsLimit = resultsLimit
    }

    /// Decodes a body, which may be empty.
    /// - Throws: `BAD_REQUEST` if the body is invalid.
    package init(decoding body: [UInt8]) throws(ServerError) {
        self = try JSONScanner.scan(body) { scanner throws(WireFault) in
            var request = DatabaseChangesRequest()
            try scanner.open(UInt8(ascii: "{"))
            var isFirst = true
            while let key = try scanner.nextKey(isFirst: &isFirst) {
                if scanner.matches(key, "syncToken") {
                    request.syncToken = try scanner.optionalString("syncToken")
                } else if scanner.matches(key, "metaSyncToken") {
                    request.metaSyncToken = try scanner.optionalString("metaSyncToken")
                } else if scanner.matches(key, "resultsLimit") {
                    request.resultsLimit = try scanner.optionalResultsLimit()
                } else {
                    try scanner.skipValue()
                }
            }
            return request
        }
    }
}
