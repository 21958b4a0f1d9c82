internal import CLibPQ

extension PostgresConfiguration {
    /// Returns whether libpq interprets `url` (a URL or `keyword=value` pairs) as intended. Does not connect.
    ///
    /// An `@` or `/` that is not percent-encoded ends the password early. libpq then interprets the rest of the
    /// password as the host, port or database, which appear in errors and logs. A URL with a port that is not a number,
    /// or with an `@` in the host or database, is therefore treated as unreadable.
    package static func canRead(_ url: String) -> Bool {
        guard let options = PQconninfoParse(url, nil) else { return false }
        defer { PQconninfoFree(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val, !isSound(String(cString: value), of: String(cString: keyword)) {
                return false
            }
            option += 1
        }
        return true
    }

    private static func isSound(_ value: String, of keyword: String) -> Bool {
        switch keyword {
        case "port": value.utf8.allSatisfy { (48...57).contains($0) || $0 == UInt8(ascii: ",") }
        case "host", "hostaddr", "dbname": !value.contains("@")
        default: true
        }
    }
}
