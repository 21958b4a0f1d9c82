internal import HTTPTypes

/// Which bytes of an asset a download is answered with (RFC 9110, sections 13 and 14).
enum ByteSelection: Equatable {
    /// The client has them all: 304.
    case notModified
    /// All of them: 200.
    case all
    /// A part of them: 206.
    case part(Range<Int64>)
    /// None that exist: 416.
    case unsatisfiable

    /// Reads the conditions and the range of a request for `size` bytes known as `eTag`.
    ///
    /// - Parameter allowsRange: whether the method knows ranges, which only GET does.
    init(_ headers: HTTPFields, eTag: String, size: Int64, allowsRange: Bool) {
        if let known = headers[.ifNoneMatch], Self.matches(known, eTag) {
            self = .notModified
            return
        }
        // A date can never be the one of this content: it has none. So the whole is sent.
        if let condition = headers[.ifRange], condition != eTag {
            self = .all
            return
        }
        self = allowsRange ? Self.range(headers[.range], size: size) : .all
    }

    /// Whether a list of entity tags, or `*`, has this one; weakly, as the header's definition asks.
    private static func matches(_ list: String, _ eTag: String) -> Bool {
        list.split(separator: ",").contains { element in
            var tag = element.trimmingSpaces()
            if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
            return tag == "*" || tag == eTag
        }
    }

    /// One range. Several at once, which would be several parts in the answer, and what is no range of bytes are
    /// ignored, as a server may.
    private static func range(_ header: String?, size: Int64) -> ByteSelection {
        guard let header else { return .all }
        let parts = header.split(separator: "=", maxSplits: 1)
        guard parts.count == 2, parts[0].lowercased() == "bytes" else { return .all }
        let ends = parts[1].trimmingSpaces().split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
        guard ends.count == 2 else { return .all }
        switch (number(ends[0]), number(ends[1])) {
        case (.value(let first), .value(let last)) where last >= first:
            return first < size ? .part(first..<min(last, size - 1) + 1) : .unsatisfiable
        case (.value(let first), .missing):
            return first < size ? .part(first..<size) : .unsatisfiable
        case (.missing, .value(let length)):
            return length > 0 && size > 0 ? .part(max(0, size - length)..<size) : .unsatisfiable
        default:
            return .all
        }
    }

    private enum Number {
        case value(Int64)
        case missing
        case malformed
    }

    /// Digits; more than fit are more than any asset has.
    private static func number(_ text: Substring) -> Number {
        if text.isEmpty { return .missing }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return .malformed }
        return .value(Int64(text) ?? .max)
    }
}

extension Substring {
    /// Without the white space of HTTP at its ends.
    fileprivate func trimmingSpaces() -> Substring {
        var text = self
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
