package import CloudKitWire

extension JSONValue {
    /// Creates an object of the members that are not nil.
    package static func object(having members: [(String, JSONValue?)]) -> JSONValue {
        .object(members.compactMap { key, value in value.map { Member(key, $0) } })
    }

    /// The value as text.
    package var text: String { String(decoding: encoded(), as: UTF8.self) }
}
