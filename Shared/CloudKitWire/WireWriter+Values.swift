package import CloudKitModel

/// Field values and the dictionaries within them.
extension WireWriter {
    /// Which of an asset's keys are written, which is all that differs between the places a bare value stands in.
    package enum ValueForm: Sendable {
        /// In the database: neither receipt nor address, but the blob.
        case stored
        /// In a request or reply: whatever is there but the blob.
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

    /// Writes a number so that it stays a DOUBLE where INT64 may stand too: jsonb spells exponents out, and `1e+16`
    /// would be a whole number among others.
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
    /// - Parameter withType: Whether to write `zoneType`, as replies have it.
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
