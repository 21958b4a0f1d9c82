internal import CloudKitModel
internal import CloudKitWire

/// Values as parameters.
extension FieldValue {
    /// A number in the stored form.
    var numberText: String {
        var writer = WireWriter()
        writer.bareValue(self, form: .stored)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// The milliseconds of a time.
    var milliseconds: Int64? { if case .timestamp(let milliseconds) = self { milliseconds } else { nil } }

    /// A text.
    var plainText: String? { if case .string(let text) = self { text } else { nil } }

    /// The name of a reference's record.
    var textOfReference: String {
        if case .reference(let reference) = self { reference.recordName.rawValue } else { "" }
    }

    /// The zone that a reference names.
    var zoneOfReference: ZoneName? {
        if case .reference(let reference) = self { reference.zoneID?.zoneName } else { nil }
    }
}

extension Int64 {
    /// The nearest time from the years 1 to 9999, which PostgreSQL's timestamps can hold. For a comparison with a
    /// record's times it is equivalent.
    var clampedToTimestamps: Int64 { Swift.min(Swift.max(self, -62_135_596_800_000), 253_402_300_799_999) }
}

extension [FieldValue] {
    /// The list as jsonb in the form that a stored list contains: of references only the names.
    var storedList: [UInt8] {
        var writer = WireWriter()
        writer.array(self) { writer, value in
            guard case .reference(let reference) = value else { return writer.bareValue(value, form: .stored) }
            writer.object { $0.member("recordName", reference.recordName) }
        }
        return writer.bytes
    }
}
