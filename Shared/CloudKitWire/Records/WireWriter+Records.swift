package import CloudKitModel

/// Writes the record dictionaries of replies.
extension WireWriter {
    /// Writes a record dictionary with all keys that clients require.
    /// - Parameters:
    ///   - types: The types of fields. A field without a type was removed from the schema and is omitted.
    ///   - desiredKeys: The fields to return; nil for all.
    ///   - numbersAsStrings: Whether numbers are written in quotes.
    ///   - downloadURL: Returns the download URL of an asset. If nil, assets have no download URL.
    ///   - fieldsOmitted: Whether to mark the record as incomplete, because not all of its fields fit in the reply.
    package mutating func record(
        _ envelope: RecordEnvelope, fields: StoredFields, types: FieldTypes,
        desiredKeys: Set<String>? = nil, numbersAsStrings: Bool = false, downloadURL: ((Asset) -> String?)? = nil,
        fieldsOmitted: Bool = false
    ) {
        beginObject()
        member("recordName", envelope.recordName)
        member("recordType", envelope.recordType)
        key("fields")
        beginObject()
        fields.forEach(in: types) { field, raw in
            guard !field.isHidden, desiredKeys?.contains(types.name(of: field)) != false else { return }
            separate()
            append(types.text, field.opening)
            guard field.type.isCopied(raw), !numbersAsStrings else {
                return changedValue(
                    ArraySlice(raw), type: field.type, numbersAsStrings: numbersAsStrings, downloadURL: downloadURL)
            }
            append(raw)
            append(types.text, field.closing)
        }
        endObject()
        literal(",\"pluginFields\":{}")
        member("recordChangeTag", envelope.recordChangeTag)
        key("created")
        stamp(envelope.created)
        key("modified")
        stamp(envelope.modified)
        literal(",\"deleted\":false")
        if let parent = envelope.parent {
            key("parent")
            beginObject()
            member("recordName", parent)
            endObject()
        }
        if let zoneID = envelope.zoneID {
            key("zoneID")
            self.zoneID(zoneID)
        }
        if let sharing = envelope.sharing { members(of: sharing) }
        if fieldsOmitted { member("fieldsOmitted", true) }
        endObject()
    }

    /// Writes the tombstone of a deleted record.
    ///
    /// Web services clients recognize a tombstone by the absence of `recordType` (web-services 2.7), so over HTTP the
    /// type's key is `deletedRecordType`.
    /// - Parameter recordType: The type that the record had, which change feeds report (semantics 8.1); nil to omit it.
    package mutating func tombstone(recordName: RecordName, recordType: String? = nil, zoneID: ZoneID? = nil) {
        beginObject()
        member("recordName", recordName)
        if isForWeb { member("deletedRecordType", recordType) } else { member("recordType", recordType) }
        member("deleted", true)
        if let zoneID {
            key("zoneID")
            self.zoneID(zoneID)
        }
        endObject()
    }

    private mutating func stamp(_ stamp: RecordEnvelope.Stamp) {
        beginObject()
        member("timestamp", stamp.timestamp)
        member("userRecordName", stamp.userRecordName)
        member("deviceID", stamp.deviceID)
        endObject()
    }

    /// Converts a number in a NUMBER field to INT64 or DOUBLE: the kind that the field prefers or, if there is no
    /// preference, the number's own kind. A number with a fractional part is always DOUBLE.
    private static func number(
        _ raw: ArraySlice<UInt8>, preference: FieldType.NumberPreference?
    ) -> (raw: ArraySlice<UInt8>, type: FieldType) {
        switch (decoded(raw, .number), preference) {
        case (.int64, nil), (.int64, .int64): return (raw, .int64)
        case (.double(let number), .int64):
            guard let whole = Int64(equalTo: number) else { return (raw, .double) }
            return (Array(String(whole).utf8)[...], .int64)
        default: return (raw, .double)
        }
    }

    /// Writes a bare value whose form in replies can differ from its stored form. Also writes the end of the value's
    /// dictionary.
    mutating func changedValue(
        _ raw: ArraySlice<UInt8>, type: FieldType, numbersAsStrings: Bool, downloadURL: ((Asset) -> String?)?
    ) {
        var (raw, type) = (raw, type)
        if type.base == .number { (raw, type) = Self.number(raw, preference: type.numberPreference) }
        switch type.base {
        case .asset:
            assets(raw, type: type, downloadURL: downloadURL)
        case .double where raw.count > 24, .double where numbersAsStrings && type.isList,
            .int64 where numbersAsStrings && type.isList, .timestamp where numbersAsStrings && type.isList:
            numbers(raw, type: type, asStrings: numbersAsStrings)
        case .double where numbersAsStrings, .int64 where numbersAsStrings, .timestamp where numbersAsStrings:
            literal("\"")
            append(raw)
            literal("\"")
        default: self.raw(raw)
        }
        append(FieldTypes.closing(of: type)[...])
    }

    /// Writes assets. Their stored JSON is never copied, because it contains the blob, which is internal.
    private mutating func assets(_ raw: ArraySlice<UInt8>, type: FieldType, downloadURL: ((Asset) -> String?)?) {
        guard let value = Self.decoded(raw, type) else { return null() }
        func located(_ value: FieldValue) -> FieldValue {
            guard case .asset(var asset) = value else { return value }
            asset.downloadURL = downloadURL?(asset)
            return .asset(asset)
        }
        switch value {
        case .list(let elements, let base): bareValue(.list(elements.map(located), of: base))
        default: bareValue(located(value))
        }
    }

    /// Writes numbers whose stored JSON cannot be copied: lists of numbers that require quotes, and numbers that jsonb
    /// printed with all digits, such as the 309 digits of 1e308.
    private mutating func numbers(_ raw: ArraySlice<UInt8>, type: FieldType, asStrings: Bool) {
        guard let value = Self.decoded(raw, type) else { return self.raw(raw) }
        func write(_ value: FieldValue) {
            switch value {
            case .int64(let number) where asStrings, .timestamp(let number) where asStrings: string(String(number))
            case .double(let number) where asStrings: string(number.description)
            default: bareValue(value)
            }
        }
        guard case .list(let elements, _) = value else { return write(value) }
        beginArray()
        for element in elements { write(element) }
        endArray()
    }

    private static func decoded(_ raw: ArraySlice<UInt8>, _ type: FieldType) -> FieldValue? {
        try? JSONScanner.scan(trusted: raw) { scanner throws(WireFault) in try scanner.value(as: type) }
    }
}

extension FieldType {
    /// Returns whether the stored JSON of a value can be copied into a reply.
    @inline(__always)
    func isCopied(_ raw: UnsafeBufferPointer<UInt8>) -> Bool {
        switch base {
        case .asset, .number: false
        case .double: raw.count <= 24
        default: true
        }
    }
}
