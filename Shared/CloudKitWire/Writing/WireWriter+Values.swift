package import CloudKitModel

/// Writes field values and their dictionaries.
extension WireWriter {
    /// The destination of a bare value, which determines how assets and large doubles are written.
    package enum ValueForm: Sendable {
        /// For the database. An asset has its blob, but neither a receipt nor a download URL.
        case stored
        /// For a request or reply. An asset has all keys except the blob.
        case wire
    }

    /// Writes a value without its type.
    package mutating func bareValue(_ value: FieldValue, form: ValueForm = .wire) {
        switch value {
        case .string(let text): string(text)
        case .int64(let number), .timestamp(let number): int(number)
        case .double(let number): form == .stored ? storedDouble(number) : double(number)
        case .bytes(let data): base64(data)
        case .reference(let reference): self.reference(reference)
        case .asset(let asset): self.asset(asset, form: form)
        case .location(let location): self.location(location)
        case .list(let elements, _):
            beginArray()
            for element in elements { bareValue(element, form: form) }
            endArray()
        }
    }

    /// Writes a number so that it is read back as a DOUBLE even if INT64 is also possible. An integral number that
    /// might need an exponent is written in full, followed by `.0`, because jsonb expands exponents: it would return
    /// `1e+16` as an integer. A number that INT64 cannot represent keeps its exponent.
    private mutating func storedDouble(_ number: Double) {
        guard number.magnitude >= 0x1p53, let whole = Int64(equalTo: number) else { return double(number) }
        int(whole)
        literal(".0")
    }

    /// Writes a reference dictionary.
    package mutating func reference(_ reference: Reference) {
        beginObject()
        member("recordName", reference.recordName)
        member("action", reference.action.rawValue)
        if let zoneID = reference.zoneID {
            key("zoneID")
            self.zoneID(zoneID, withType: false)
        }
        endObject()
    }

    /// Writes an asset dictionary.
    package mutating func asset(_ asset: Asset, form: ValueForm = .wire) {
        beginObject()
        member("fileChecksum", asset.fileChecksum)
        member("size", asset.size)
        if form == .wire { member("receipt", asset.receipt) }
        member("referenceChecksum", asset.referenceChecksum)
        member("wrappingKey", asset.wrappingKey)
        if form == .wire { member("downloadURL", asset.downloadURL) }
        if form == .stored { member("blob", asset.blob) }
        endObject()
    }

    /// Writes a location dictionary.
    package mutating func location(_ location: Location) {
        beginObject()
        member("latitude", location.latitude)
        member("longitude", location.longitude)
        member("horizontalAccuracy", location.horizontalAccuracy)
        member("verticalAccuracy", location.verticalAccuracy)
        member("altitude", location.altitude)
        member("speed", location.speed)
        member("course", location.course)
        member("timestamp", location.timestamp)
        endObject()
    }

    /// Writes a zone ID dictionary.
    /// - Parameter withType: Whether to write `zoneType`, as replies do.
    package mutating func zoneID(_ zoneID: ZoneID, withType: Bool = true) {
        beginObject()
        member("zoneName", zoneID.zoneName.rawValue)
        member("ownerRecordName", zoneID.ownerRecordName?.rawValue)
        if withType {
            key("zoneType")
            string(zoneID.zoneType)
        }
        endObject()
    }
}
