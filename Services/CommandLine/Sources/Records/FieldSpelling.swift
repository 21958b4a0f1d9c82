import CloudKitModel

/// A `name=value` argument of `zonda record save`: a field's name and its new value.
struct FieldSpelling: Equatable, Sendable {
    /// The syntax, for help texts.
    static let help = """
        Fields have the form NAME=TEXT or NAME:TYPE=VALUE:
          title=Milk                 a string; title= for the empty string
          n:int64=5                  an integer; true for 1, false for 0
          price:double=9.95          a number
          due:timestamp=2026-01-15T18:00:00Z
                                     a time, or milliseconds since 1970
          key:bytes=aGVsbG8=         bytes in base64
          list:reference=groceries   a record in the same zone; with the type
                                     reference-delete-self, its deletion also
                                     deletes this record; with the type
                                     reference-validate, it cannot be deleted
          place:location=48.85,2.35  degrees north and east
          tags:strings=red,green     a list: strings, int64s, doubles,
                                     timestamps or references; tags:strings=
                                     for the empty list
          title:null                 clears the field
        Assets, lists of bytes or locations, and list elements that contain commas
        require JSON: see --json - below.
        """

    /// The field's name.
    var name: String
    /// The value; nil clears the field.
    var value: FieldValue?

    /// An invalid argument.
    typealias Fault = ValueSpelling.Fault

    /// Creates a field.
    init(name: String, value: FieldValue?) {
        self.name = name
        self.value = value
    }

    /// Parses `argument`.
    init(_ argument: String) throws(Fault) {
        let equals = argument.firstIndex(of: "=")
        let left = argument[..<(equals ?? argument.endIndex)]
        let text = equals.map { String(argument[argument.index(after: $0)...]) }
        let colon = left.firstIndex(of: ":")
        name = String(left[..<(colon ?? left.endIndex)])
        let type = colon.map { String(left[left.index(after: $0)...]) }
        guard !name.isEmpty else { throw Fault(description: "'\(argument)' has no field name: use NAME=VALUE") }
        switch (type, text) {
        case ("null", nil): value = nil
        case ("null", _): throw Fault(description: "'\(argument)': to clear a field, use '\(name):null'")
        case (_, nil): throw Fault(description: "'\(argument)' has no value: use \(name)=VALUE or \(name):null")
        case (nil, let text?): value = .string(text)
        case (let type?, let text?):
            do {
                value = try ValueSpelling.value(text, type: type)
            } catch {
                throw Fault(description: "'\(argument)': \(error.description)")
            }
        }
    }
}
