internal import Logging

/// A line of the log:
/// `{"at":"2026-11-21T10:00:00.123Z","level":"warning","logger":"zonda.record","message":"…","request":"…","trace":"…",
/// "metadata":{…}}`.
///
/// `request` and `trace` are outside `metadata`. They are present if the line concerns a request. Every value in
/// `metadata` is a string, an array or an object; members are ordered by key.
struct JSONLogLine {
    /// The keys of the metadata that relates log lines of different services to one another. They are written outside
    /// `metadata`.
    private static let hoisted = ["request", "trace"]

    /// The line in UTF-8, including its newline.
    private(set) var bytes: [UInt8] = []

    /// Creates the line of an event that occurred `milliseconds` after the start of 1970.
    init(milliseconds: Int64, level: Logger.Level, label: String, message: String, metadata: Logger.Metadata) {
        bytes.reserveCapacity(256)
        raw("{\"at\":\"")
        raw(UTCTime(milliseconds: milliseconds).description)
        raw("\",\"level\":\"\(level.rawValue)\",\"logger\":")
        string(label)
        raw(",\"message\":")
        string(message)
        var metadata = metadata
        for key in Self.hoisted {
            guard let value = metadata.removeValue(forKey: key) else { continue }
            raw(",\"\(key)\":")
            write(value)
        }
        if !metadata.isEmpty {
            raw(",\"metadata\":")
            write(.dictionary(metadata))
        }
        raw("}\n")
    }

    private mutating func write(_ value: Logger.MetadataValue) {
        switch value {
        case .string(let text): string(text)
        case .stringConvertible(let value): string(value.description)
        case .array(let values):
            raw("[")
            for (index, value) in values.enumerated() {
                if index > 0 { raw(",") }
                write(value)
            }
            raw("]")
        case .dictionary(let members):
            raw("{")
            for (index, member) in members.sorted(by: { $0.key < $1.key }).enumerated() {
                if index > 0 { raw(",") }
                string(member.key)
                raw(":")
                write(member.value)
            }
            raw("}")
        }
    }

    private mutating func string(_ text: String) {
        raw("\"")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "\""): raw("\\\"")
            case UInt8(ascii: "\\"): raw("\\\\")
            case UInt8(ascii: "\n"): raw("\\n")
            case UInt8(ascii: "\r"): raw("\\r")
            case UInt8(ascii: "\t"): raw("\\t")
            case ..<0x20, 0x7F: raw("\\u00" + (byte < 0x10 ? "0" : "") + String(byte, radix: 16))
            default: bytes.append(byte)
            }
        }
        raw("\"")
    }

    private mutating func raw(_ text: String) { bytes.append(contentsOf: text.utf8) }
}
