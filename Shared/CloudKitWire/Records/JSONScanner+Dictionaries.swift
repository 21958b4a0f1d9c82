internal import CloudKitModel

/// Values that are dictionaries: references, assets and locations.
extension JSONScanner {
    /// Scans a reference. The action defaults to `NONE`.
    mutating func reference() throws(WireFault) -> Reference {
        guard peek() == UInt8(ascii: "{") else { throw invalidValue("REFERENCE") }
        var reference = Reference(recordName: "")
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "recordName") {
                reference.recordName = RecordName(unchecked: try optionalString("recordName") ?? "")
            } else if matches(key, "action") {
                reference.action = try action()
            } else if matches(key, "zoneID") {
                reference.zoneID = try optionalZoneID("zoneID")
            } else {
                try skipValue()
            }
        }
        do {
            _ = try RecordName(validating: reference.recordName.rawValue, allowsSystem: true)
            if let zoneID = reference.zoneID { _ = try ZoneName(validating: zoneID.zoneName.rawValue) }
        } catch {
            throw .content(ServerError(error))
        }
        return reference
    }

    private mutating func action() throws(WireFault) -> Reference.Action {
        guard let word = try optionalString("action") else { return .none }
        guard let action = Reference.Action(rawValue: word) else {
            throw .content(ServerError(.unknownAction, "The action must be NONE, DELETE_SELF or VALIDATE"))
        }
        return action
    }

    /// Scans an asset. Does not check for required keys, because these depend on how the asset is used.
    mutating func asset() throws(WireFault) -> Asset {
        guard peek() == UInt8(ascii: "{") else { throw invalidValue("ASSETID") }
        var asset = Asset()
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "fileChecksum") {
                asset.fileChecksum = try optionalString("fileChecksum")
            } else if matches(key, "size") {
                asset.size = try optionalInt64("size")
            } else if matches(key, "receipt") {
                asset.receipt = try optionalString("receipt")
            } else if matches(key, "referenceChecksum") {
                asset.referenceChecksum = try optionalString("referenceChecksum")
            } else if matches(key, "wrappingKey") {
                asset.wrappingKey = try optionalString("wrappingKey")
            } else if matches(key, "downloadURL") {
                asset.downloadURL = try optionalString("downloadURL")
            } else if isTrusted, matches(key, "blob") {
                asset.blob = try optionalInt64("blob")
            } else {
                try skipValue()
            }
        }
        return asset
    }

    /// Scans a location. Both coordinates are required and must be within range.
    mutating func location() throws(WireFault) -> Location {
        guard peek() == UInt8(ascii: "{") else { throw invalidValue("LOCATION") }
        var latitude: Double?
        var longitude: Double?
        var location = Location(latitude: 0, longitude: 0)
        try open(UInt8(ascii: "{"))
        var isFirst = true
        while let key = try nextKey(isFirst: &isFirst) {
            if matches(key, "latitude") {
                latitude = try optionalDouble("latitude")
            } else if matches(key, "longitude") {
                longitude = try optionalDouble("longitude")
            } else if matches(key, "horizontalAccuracy") {
                location.horizontalAccuracy = try optionalDouble("horizontalAccuracy")
            } else if matches(key, "verticalAccuracy") {
                location.verticalAccuracy = try optionalDouble("verticalAccuracy")
            } else if matches(key, "altitude") {
                location.altitude = try optionalDouble("altitude")
            } else if matches(key, "speed") {
                location.speed = try optionalDouble("speed")
            } else if matches(key, "course") {
                location.course = try optionalDouble("course")
            } else if matches(key, "timestamp") {
                location.timestamp = try optionalInt64("timestamp")
            } else {
                try skipValue()
            }
        }
        guard let latitude, let longitude else { throw .content(.invalidValue(expected: "LOCATION", field: nil)) }
        guard abs(latitude) <= 90, abs(longitude) <= 180 else {
            throw .content(
                ServerError(
                    .locationOutOfRange, "A latitude must be from -90 to 90 degrees, a longitude from -180 to 180"))
        }
        location.latitude = latitude
        location.longitude = longitude
        return location
    }

    private mutating func optionalDouble(_ key: StaticString) throws(WireFault) -> Double? {
        if try skipNull() { return nil }
        guard isAtNumber else { throw wrongKind(key, "a number") }
        return try double(number())
    }
}
