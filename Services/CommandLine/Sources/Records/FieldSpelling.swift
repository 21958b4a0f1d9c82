import CloudKitModel

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

    /// A spelling that cannot be read.
    typealias Fault = ValueSpelling.Fault

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
                value = try ValueSpelling.value(text, type: type)
            } catch {
                throw Fault(description: "'\(argument)': \(error.description)")
            }
        }
    }
}
