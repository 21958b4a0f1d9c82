package import CloudKitModel

/// The body of `records/resolve` and `records/accept` (web-services 2.9).
package struct ShortGUIDsRequest: Hashable, Sendable {
    /// A short GUID dictionary (web-services 3.10).
    package struct Item: Hashable, Sendable {
        /// The identifier in a share's link.
        package var value: String
        /// Whether the root record is returned.
        package var fetchesRoot: Bool
        /// The fields of the root record to return; nil for all.
        package var rootKeys: [String]?

        /// Creates an item to send.
        package init(_ value: String, fetchesRoot: Bool = false, rootKeys: [String]? = nil) {
            self.value = value
            self.fetchesRoot = fetchesRoot
            self.rootKeys = rootKeys
        }
    }

    /// The maximum number of items.
    package static let maxItems = 100

    /// The items, in the order of the reply.
    package var items: [Item]

    /// Creates a request to send.
    package init(items: [Item]) { self.items = items }

    /// Decodes a body. An item may be a string instead of a dictionary, and `shortGUIDs` may be a single dictionary.
    ///
    /// - Throws: `BAD_REQUEST` if the body is invalid or has too many items.
    package init(decoding body: [UInt8]) throws(ServerError) {
        self = try JSONScanner.scan(body) { scanner throws(WireFault) in
            var request = ShortGUIDsRequest(items: [])
            try request.read(&scanner)
            return request
        }
    }

    private mutating func read(_ scanner: inout JSONScanner) throws(WireFault) {
        var items: [Item] = []
        var count = 0
        var hasItems = false
        try scanner.open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try scanner.nextKey(isFirst: &isFirst) {
            guard scanner.matches(key, "shortGUIDs") else {
                try scanner.skipValue()
                continue
            }
            hasItems = true
            try scanner.elements("shortGUIDs") { scanner throws(WireFault) in
                count += 1
                guard count <= Self.maxItems else { return try scanner.skipValue() }
                items.append(try Self.item(&scanner))
            }
        }
        guard hasItems else { throw .content(.missingKey("shortGUIDs")) }
        guard count <= Self.maxItems else {
            throw .content(.tooMany("shortGUIDs", limit: Self.maxItems, actual: count))
        }
        self.items = items
    }

    private static func item(_ scanner: inout JSONScanner) throws(WireFault) -> Item {
        if scanner.peek() == UInt8(ascii: "\"") { return Item(try scanner.optionalString("shortGUIDs") ?? "") }
        guard scanner.peek() == UInt8(ascii: "{") else {
            throw scanner.wrongKind("shortGUIDs", "an array of dictionaries")
        }
        var value: String?
        var item = Item("")
        try scanner.open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try scanner.nextKey(isFirst: &isFirst) {
            if scanner.matches(key, "value") {
                value = try scanner.optionalString("value")
            } else if scanner.matches(key, "shouldFetchRootRecord") {
                item.fetchesRoot = try scanner.optionalBool("shouldFetchRootRecord") ?? false
            } else if scanner.matches(key, "rootRecordDesiredKeys") {
                item.rootKeys = try scanner.optionalStrings("rootRecordDesiredKeys")
            } else {
                try scanner.skipValue()
            }
        }
        guard let value else { throw .content(.missingKey("value")) }
        item.value = value
        return item
    }
}

extension WireWriter {
    /// Writes the error for a short GUID, as an element of `results`.
    package mutating func itemError(_ error: ServerError, shortGUID: ShortGUIDsRequest.Item) {
        object { writer in
            writer.shortGUID(shortGUID)
            writer.errorMembers(error)
        }
    }

    /// Writes the member `shortGUID` of an element of `results`: the dictionary that the client sent.
    package mutating func shortGUID(_ item: ShortGUIDsRequest.Item) {
        key("shortGUID")
        object { writer in
            writer.member("value", item.value)
            writer.member("shouldFetchRootRecord", item.fetchesRoot)
            if let keys = item.rootKeys { writer.member("rootRecordDesiredKeys", keys) }
        }
    }
}
