internal import CLibPQ

extension PostgresConfiguration {
    /// Whether libpq can read `url`, a URL or pairs `keyword=value`; nothing is connected to.
    ///
    /// A port that is none counts as unreadable: a password with a `/` in it makes one, and libpq's refusal would quote
    /// that piece of it.
    package static func canRead(_ url: String) -> Bool {
        guard let options = PQconninfoParse(url, nil) else { return false }
        defer { PQconninfoFree(options) }
        var option = options
        while let keyword = option.pointee.keyword {
            if String(cString: keyword) == "port", let port = option.pointee.val.map({ String(cString: $0) }) {
                guard port.utf8.allSatisfy({ (48...57).contains($0) || $0 == UInt8(ascii: ",") }) else { return false }
            }
            option += 1
        }
        return true
    }
}
