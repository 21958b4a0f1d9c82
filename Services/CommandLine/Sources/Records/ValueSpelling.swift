import CloudKitModel
import FoundationEssentials

/// Parses command-line values, each of which consists of a type name followed by text.
enum ValueSpelling {
    /// An invalid value. Its description states the expected form.
    struct Fault: Error, CustomStringConvertible {
        var description: String
    }

    /// Parses `text` as a value of `type`.
    static func value(_ text: String, type: String) throws(Fault) -> FieldValue {
        switch Kind(name: type) {
        case .single(let base): return try single(text, base)
        case .reference(let action):
            return .reference(Reference(recordName: RecordName(unchecked: text), action: action))
        case .list(let base):
            let elements = text.isEmpty ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
            var values: [FieldValue] = []
            for element in elements { values.append(try single(String(element), base)) }
            return .list(base, values)
        case nil: throw Fault(description: "'\(type)' is not a type; the types are \(typeNames)")
        }
    }

    /// Returns whether `name` is the name of a type.
    static func isType(_ name: some StringProtocol) -> Bool { Kind(name: String(name)) != nil }

    /// Parses a value that is not a list.
    static func single(_ text: String, _ base: FieldType.Base) throws(Fault) -> FieldValue {
        switch base {
        case .string: return .string(text)
        case .reference: return .reference(Reference(recordName: RecordName(unchecked: text)))
        case .int64:
            if text == "true" || text == "false" { return .int64(text == "true" ? 1 : 0) }
            guard let number = Int64(text) else {
                throw Fault(description: "'\(text)' is not an integer between -2^63 and 2^63-1")
            }
            return .int64(number)
        case .double:
            guard let number = Double(text), number.isFinite else {
                throw Fault(description: "'\(text)' is not a finite number")
            }
            return .double(number)
        case .timestamp:
            guard let milliseconds = milliseconds(text) else {
                throw Fault(
                    description: "'\(text)' is not a time: use 2026-01-15T18:00:00Z or milliseconds since 1970")
            }
            return .timestamp(milliseconds)
        case .bytes:
            guard let data = Data(base64Encoded: text) else { throw Fault(description: "'\(text)' is not base64") }
            return .bytes(Array(data))
        case .location: return .location(try location(text))
        case .number: throw Fault(description: "a number must be an int64 or a double")
        case .asset:
            throw Fault(description: "an asset must be uploaded first, and its receipt specified as JSON")
        }
    }

    /// Parses degrees north and east.
    static func location(_ text: String) throws(Fault) -> Location {
        let degrees = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
        guard degrees.count == 2, let north = degrees[0], let east = degrees[1],
            (-90...90).contains(north), (-180...180).contains(east)
        else { throw Fault(description: "'\(text)' is not a location: use degrees north and east, such as 48.85,2.35") }
        return Location(latitude: north, longitude: east)
    }

    private static func milliseconds(_ text: String) -> Int64? {
        if let number = Int64(text) { return number }
        let moment =
            (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        return moment.map { Int64(($0.timeIntervalSince1970 * 1000).rounded()) }
    }

    private static let typeNames =
        "string, int64, double, timestamp, bytes, reference, location, null and the lists "
        + "strings, int64s, doubles, timestamps, references"
}

/// The meaning of a type name.
private enum Kind {
    case single(FieldType.Base)
    case reference(Reference.Action)
    case list(FieldType.Base)

    private static let actions: [String: Reference.Action] = [
        "reference-delete-self": .deleteSelf, "reference-validate": .validate,
    ]
    private static let listable: Set<FieldType.Base> = [.string, .int64, .double, .timestamp, .reference]

    init?(name: String) {
        if let base = Self.base(name) {
            self = .single(base)
        } else if let action = Self.actions[name] {
            self = .reference(action)
        } else if name.hasSuffix("s"), let base = Self.base(String(name.dropLast())), Self.listable.contains(base) {
            self = .list(base)
        } else {
            return nil
        }
    }

    private static func base(_ name: String) -> FieldType.Base? {
        FieldType.Base.ofValues.first { $0 != .asset && "\($0.wireName)".lowercased() == name }
    }
}
