import CloudKitModel
import FoundationEssentials

/// One `key=value` argument of `zonda record save`: a field's name and its new value, nil to clear it.
struct FieldSpelling: Equatable, Sendable {
    /// The spellings, for help texts.
    static let help = """
        A field is written NAME=TEXT or NAME:TYPE=VALUE:
          title=Milk                 text (STRING); title= is the empty text
          n:int64=5                  a whole number; true is 1, false 0
          price:double=9.95          a number
          due:timestamp=2026-01-15T18:00:00Z
                                     a moment, or milliseconds since 1970
          key:bytes=aGVsbG8=         bytes in base64
          list:reference=groceries   a record of the same zone; deleting it:
                                     reference-delete-self deletes this one,
                                     reference-validate is refused
          place:location=48.85,2.35  degrees north and east
          tags:strings=red,green     a list: strings, int64s, doubles,
                                     timestamps, references; tags:strings=
                                     is the empty list
          title:null                 clears the field
        Assets, lists of bytes and places, and commas within list elements are
        written as JSON: see --json - below.
        """

    /// The field's name.
    var name: String
    /// The value; nil clears the field.
    var value: FieldValue?

    /// A spelling that cannot be read, with a text that says why and what would be right.
    struct Fault: Error, CustomStringConvertible {
        var description: String
    }

    /// A field of that name and value.
    init(name: String, value: FieldValue?) {
        self.name = name
        self.value = value
    }

    /// Reads `argument`.
    init(_ argument: String) throws(Fault) {
        let equals = argument.firstIndex(of: "=")
        let left = argument[..<(equals ?? argument.endIndex)]
        let text = equals.map { String(argument[argument.index(after: $0)...]) }
        let colon = left.firstIndex(of: ":")
        name = String(left[..<(colon ?? left.endIndex)])
        let type = colon.map { String(left[left.index(after: $0)...]) }
        guard !name.isEmpty else { throw Fault(description: "'\(argument)' names no field; write NAME=VALUE") }
        switch (type, text) {
        case ("null", nil): value = nil
        case ("null", _): throw Fault(description: "'\(argument)': write '\(name):null' to clear a field")
        case (_, nil): throw Fault(description: "'\(argument)' has no value; write \(name)=VALUE or \(name):null")
        case (nil, let text?): value = .string(text)
        case (let type?, let text?):
            do {
                value = try Self.value(text, type: type)
            } catch {
                throw Fault(description: "'\(argument)': \(error.description)")
            }
        }
    }

    private static func value(_ text: String, type: String) throws(Fault) -> FieldValue {
        if let base = base(named: type) { return try single(text, base) }
        if let action = referenceActions[type] { return .reference(Reference(recordName: text, action: action)) }
        guard type.hasSuffix("s"), let base = base(named: String(type.dropLast())), listable.contains(base) else {
            throw Fault(description: "'\(type)' is no type; types are \(typeNames)")
        }
        let elements = text.isEmpty ? [] : text.split(separator: ",", omittingEmptySubsequences: false)
        var values: [FieldValue] = []
        for element in elements { values.append(try single(String(element), base)) }
        return .list(base, values)
    }

    private static func single(_ text: String, _ base: FieldType.Base) throws(Fault) -> FieldValue {
        switch base {
        case .string: return .string(text)
        case .reference: return .reference(Reference(recordName: text))
        case .int64:
            if text == "true" || text == "false" { return .int64(text == "true" ? 1 : 0) }
            guard let number = Int64(text) else {
                throw Fault(description: "'\(text)' is no whole number between -2^63 and 2^63-1")
            }
            return .int64(number)
        case .double:
            guard let number = Double(text), number.isFinite else {
                throw Fault(description: "'\(text)' is no finite number")
            }
            return .double(number)
        case .timestamp:
            guard let milliseconds = milliseconds(text) else {
                throw Fault(
                    description: "'\(text)' is no moment; write 2026-01-15T18:00:00Z or milliseconds since 1970")
            }
            return .timestamp(milliseconds)
        case .bytes:
            guard let data = Data(base64Encoded: text) else { throw Fault(description: "'\(text)' is not base64") }
            return .bytes(Array(data))
        case .location:
            let degrees = text.split(separator: ",", omittingEmptySubsequences: false).map { Double($0) }
            guard degrees.count == 2, let north = degrees[0], let east = degrees[1],
                (-90...90).contains(north), (-180...180).contains(east)
            else { throw Fault(description: "'\(text)' is no place; write degrees north and east: 48.85,2.35") }
            return .location(Location(latitude: north, longitude: east))
        case .number: throw Fault(description: "a number is an int64 or a double")
        case .asset: throw Fault(description: "an asset is uploaded first and its receipt written as JSON")
        }
    }

    private static func milliseconds(_ text: String) -> Int64? {
        if let number = Int64(text) { return number }
        let moment =
            (try? Date(text, strategy: .iso8601))
            ?? (try? Date(text, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true)))
        return moment.map { Int64(($0.timeIntervalSince1970 * 1000).rounded()) }
    }

    private static let referenceActions: [String: Reference.Action] = [
        "reference-delete-self": .deleteSelf, "reference-validate": .validate,
    ]
    private static let listable: Set<FieldType.Base> = [.string, .int64, .double, .timestamp, .reference]
    private static let typeNames =
        "string, int64, double, timestamp, bytes, reference, location, null and the lists "
        + "strings, int64s, doubles, timestamps, references"

    private static func base(named name: String) -> FieldType.Base? {
        FieldType.Base.ofValues.first { $0 != .asset && "\($0.wireName)".lowercased() == name }
    }
}
