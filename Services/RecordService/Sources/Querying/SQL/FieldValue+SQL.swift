internal import CloudKitModel
internal import CloudKitWire

/// Values as statement parameters.
extension FieldValue {
    /// The number in its stored form.
    var numberText: String {
        var writer = WireWriter()
        writer.bareValue(self, form: .stored)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The time in milliseconds since 1970; nil if the value is not a time.
    var milliseconds: Int64? { if case .timestamp(let milliseconds) = self { milliseconds } else { nil } }

    /// The text; nil if the value is not text.
    var plainText: String? { if case .string(let text) = self { text } else { nil } }

    /// The name of the referenced record; empty if the value is not a reference.
    var textOfReference: String {
        if case .reference(let reference) = self { reference.recordName.rawValue } else { "" }
    }

    /// The zone that the reference names; nil if it names none.
    var zoneOfReference: ZoneName? {
        if case .reference(let reference) = self { reference.zoneID?.zoneName } else { nil }
    }
}

extension Int64 {
    /// The nearest time in the years 1 to 9999, which PostgreSQL's timestamps can represent. A comparison with a
    /// record's times gives the same result as with the original time.
    var clampedToTimestamps: Int64 { Swift.min(Swift.max(self, -62_135_596_800_000), 253_402_300_799_999) }
}

extension [FieldValue] {
    /// The list as jsonb, in the form in which lists are stored. References contain only the record name.
    var storedList: [UInt8] {
        var writer = WireWriter()
        writer.array(self) { writer, value in
            guard case .reference(let reference) = value else { return writer.bareValue(value, form: .stored) }
            writer.object { $0.member("recordName", reference.recordName) }
        }
        return writer.bytes
    }
}
