internal import CLibPQ

extension PostgresConfiguration {
    /// Whether libpq can read `url`, a URL or pairs `keyword=value`, and as what it means; nothing is connected to.
    ///
    /// A password with an `@` or `/` that is not percent-encoded ends early, and libpq takes its rest for the host,
    /// port or database, which errors and logs show. So a port that is none counts as unreadable, and an `@` in the
    /// others.
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
