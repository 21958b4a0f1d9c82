internal import CloudKitModel

/// The body of a request as it is forwarded to a service: the client's bytes, if they can be a JSON object.
enum JSONBody {
    private static let empty = Array("{}".utf8)
    private static let byteOrderMark: [UInt8] = [0xEF, 0xBB, 0xBF]

    /// Returns the body for the service: `{}` for a GET or an empty body; otherwise the client's bytes without a byte
    /// order mark.
    ///
    /// - Throws: `invalid_json` if the body does not begin with `{`. The service parses the whole body.
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
