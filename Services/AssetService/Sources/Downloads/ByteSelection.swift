internal import HTTPTypes

/// The bytes of an asset to send in response to a download request (RFC 9110, sections 13 and 14).
enum ByteSelection: Equatable {
    /// No bytes, because the client has all of them: 304.
    case notModified
    /// All bytes: 200.
    case all
    /// A range of bytes: 206.
    case part(Range<Int64>)
    /// A range that does not exist: 416.
    case unsatisfiable

    /// Evaluates the conditions and the range of a request.
    ///
    /// - Parameters:
    ///   - eTag: the entity tag of the asset.
    ///   - size: the size of the asset, in bytes.
    ///   - allowsRange: whether the method supports ranges; only GET does.
    init(_ headers: HTTPFields, eTag: String, size: Int64, allowsRange: Bool) {
        if let known = headers[.ifNoneMatch], Self.matches(known, eTag) {
            self = .notModified
            return
        }
        // Content has no modification date, so a date in `If-Range` never matches, and the whole asset is sent.
        if let condition = headers[.ifRange], condition != eTag {
            self = .all
            return
        }
        self = allowsRange ? Self.range(headers[.range], size: size) : .all
    }

    /// Whether `list`, which is a list of entity tags or `*`, matches `eTag`. The comparison is weak, as the definition
    /// of the header requires.
    private static func matches(_ list: String, _ eTag: String) -> Bool {
        list.split(separator: ",").contains { element in
            var tag = element.trimmingSpaces()
            if tag.hasPrefix("W/") { tag = tag.dropFirst(2) }
            return tag == "*" || tag == eTag
        }
    }

    /// Evaluates a single range. A header that uses a unit other than bytes, or that specifies several ranges, is
    /// ignored, as RFC 9110 permits. Several ranges would require a multipart response.
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

    /// Parses digits. A number that does not fit in `Int64` is treated as larger than any size.
    private static func number(_ text: Substring) -> Number {
        if text.isEmpty { return .missing }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }) else { return .malformed }
        return .value(Int64(text) ?? .max)
    }
}

extension Substring {
    /// The text without leading and trailing spaces and tabs.
    fileprivate func trimmingSpaces() -> Substring {
        var text = self
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return text
    }
}
