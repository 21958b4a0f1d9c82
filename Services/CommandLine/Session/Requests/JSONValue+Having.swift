package import CloudKitWire

extension JSONValue {
    /// Creates an object from the members that are not nil.
    package static func object(having members: [(String, JSONValue?)]) -> JSONValue {
        .object(members.compactMap { key, value in value.map { Member(key, $0) } })
    }

    /// The value as JSON text on one line.
    package var text: String { String(decoding: encoded(), as: UTF8.self) }
}
