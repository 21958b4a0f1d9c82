internal import CloudKitModel

/// What a service gets of a request's body: the bytes as they came, as far as they may be an object.
enum JSONBody {
    private static let empty = Array("{}".utf8)
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// The body that is passed on: `{}` in place of none, and of whatever comes with a GET; without a byte order mark.
    ///
    /// - Throws: `invalid_json` for what does not begin as an object. The rest is for the service to say.
    static func forwarded(_ body: [UInt8], isGet: Bool) throws(ServerError) -> [UInt8] {
        guard !isGet else { return empty }
        let hasMark = body.starts(with: byteOrderMark)
        let text = hasMark ? body[byteOrderMark.count...] : body[...]
        switch text.first(where: { !isSpace($0) }) {
        case nil: return empty
        case UInt8(ascii: "{"): return hasMark ? Array(text) : body
        default: throw ServerError(.invalidJSON, "The body must be a JSON object", field: "body")
        }
    }

    private static func isSpace(_ byte: UInt8) -> Bool { [0x20, 0x09, 0x0A, 0x0D].contains(byte) }
}
