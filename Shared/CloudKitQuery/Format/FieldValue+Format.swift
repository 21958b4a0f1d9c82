internal import CloudKitModel

internal import struct FoundationEssentials.Data

extension FieldValue {
    /// The value as a literal in the format syntax. The parser rejects the literals of bytes and assets.
    var formatSpelling: String {
        switch self {
        case .string(let text): text.formatSpelling
        case .int64(let number): String(number)
        case .double(let number): String(number)
        case .timestamp(let milliseconds): "CAST(\(FormatDate.secondsSince2001(milliseconds)), \"NSDate\")"
        case .bytes(let bytes): "CAST(\"\(Data(bytes).base64EncodedString())\", \"NSData\")"
        case .reference(let reference): reference.formatSpelling
        case .asset(let asset): "CAST(\((asset.fileChecksum ?? "").formatSpelling), \"NSData\")"
        case .location(let location): location.formatSpelling
        case .list(let values, _): values.formatSpelling
        }
    }
}

extension [FieldValue] {
    var formatSpelling: String { "{\(map(\.formatSpelling).joined(separator: ", "))}" }
}

extension Reference {
    fileprivate var formatSpelling: String {
        let names = [recordName.rawValue, zoneID?.zoneName.rawValue, zoneID?.ownerRecordName?.rawValue]
        return "reference(\(names.compactMap { $0?.formatSpelling }.joined(separator: ", ")))"
    }
}

extension Location {
    var formatSpelling: String { "location(\(latitude), \(longitude))" }
}

extension String {
    /// The string in single quotes, with control characters escaped.
    var formatSpelling: String { "'\(unicodeScalars.map(\.formatSpelling).joined())'" }
}

extension Unicode.Scalar {
    fileprivate var formatSpelling: String {
        switch self {
        case "'": "\\'"
        case "\\": "\\\\"
        case "\n": "\\n"
        case "\t": "\\t"
        case "\r": "\\r"
        case "\u{8}": "\\b"
        case "\u{C}": "\\f"
        case _ where properties.generalCategory == .control:
            "\\u" + String(value + 0x10000, radix: 16, uppercase: true).dropFirst()
        default: String(self)
        }
    }
}
