internal import CloudKitModel
internal import CloudKitWire
internal import Foundation

/// The values of fields as JSON (web-services 3.2).
enum FieldCoding {
    /// Returns the dictionary of a field; the removal of the field if the content is nil.
    ///
    /// - Throws: ``CKError/Code/invalidArguments`` for a list whose elements are of different types;
    ///   ``CKError/Code/assetFileNotFound`` for an asset that has not been uploaded.
    static func json(
        of content: FieldContent?, for key: String, in zoneID: CKRecordZoneID, _ uploaded: [AssetPlace: Asset] = [:]
    ) throws(CKError) -> JSONValue {
        guard let content else { return ["value": .null] }
        guard content.isUniform else {
            throw CKError(.invalidArguments, "The elements of the list '\(key)' are of different types.")
        }
        guard case .list(let elements) = content else {
            let value = try value(content, AssetPlace(key: key), zoneID, uploaded)
            return ["value": value, "type": .string(type(of: content))]
        }
        // Numbers of both kinds are one list of DOUBLE.
        let isDouble = elements.contains { if case .number(let number) = $0 { number.isFloatingPoint } else { false } }
        var values: [JSONValue] = []
        for (index, element) in elements.enumerated() {
            if isDouble, case .number(let number) = element {
                values.append(.double(number.doubleValue))
            } else {
                values.append(try value(element, AssetPlace(key: key, index: index), zoneID, uploaded))
            }
        }
        // Only the server knows the type of an empty list.
        guard let first = elements.first else { return ["value": .array([])] }
        return ["value": .array(values), "type": .string((isDouble ? "DOUBLE" : type(of: first)) + "_LIST")]
    }

    private static func type(of content: FieldContent) -> String {
        switch content {
        case .string, .list: "STRING"
        case .number(let number): number.isFloatingPoint ? "DOUBLE" : "INT64"
        case .date: "TIMESTAMP"
        case .data: "BYTES"
        case .location: "LOCATION"
        case .reference: "REFERENCE"
        case .asset: "ASSETID"
        }
    }

    private static func value(
        _ content: FieldContent, _ place: AssetPlace, _ zoneID: CKRecordZoneID, _ uploaded: [AssetPlace: Asset]
    ) throws(CKError) -> JSONValue {
        switch content {
        case .string(let text): return .string(text)
        case .number(let number): return try self.number(number, place.key)
        case .date(let date):
            guard date.timeIntervalSince1970.magnitude < 1e15 else {
                throw CKError(.invalidArguments, "The date in the field '\(place.key)' is out of range.")
            }
            return .int(date.wireMilliseconds)
        case .data(let data): return .string(data.base64EncodedString())
        case .location(let location):
            let numbers = [
                location.coordinate.latitude, location.coordinate.longitude, location.horizontalAccuracy,
                location.verticalAccuracy, location.altitude, location.speed, location.course,
            ]
            guard numbers.allSatisfy(\.isFinite) else {
                throw CKError(.invalidArguments, "A number of the location in the field '\(place.key)' is not finite.")
            }
            return self.location(location)
        case .reference(let reference): return self.reference(reference, in: zoneID)
        case .asset: return try asset(uploaded[place], place.key)
        case .list: throw CKError(.invalidArguments, "The list '\(place.key)' contains a list.")
        }
    }

    private static func number(_ number: NSNumber, _ key: String) throws(CKError) -> JSONValue {
        guard !number.isFloatingPoint else {
            guard number.doubleValue.isFinite else {
                throw CKError(.invalidArguments, "The number in the field '\(key)' is not finite.")
            }
            return .double(number.doubleValue)
        }
        guard number.compare(NSNumber(value: Int64.max)) != .orderedDescending else {
            throw CKError(.invalidArguments, "The number in the field '\(key)' exceeds 64 bits with a sign.")
        }
        return .int(number.int64Value)
    }

    private static func location(_ location: CLLocation) -> JSONValue {
        [
            "latitude": .double(location.coordinate.latitude), "longitude": .double(location.coordinate.longitude),
            "horizontalAccuracy": .double(location.horizontalAccuracy),
            "verticalAccuracy": .double(location.verticalAccuracy), "altitude": .double(location.altitude),
            "speed": .double(location.speed), "course": .double(location.course),
            "timestamp": .int(location.timestamp.wireMilliseconds),
        ]
    }

    /// Returns the dictionary of a reference from a record in a zone.
    static func reference(_ reference: CKReference, in zoneID: CKRecordZoneID) -> JSONValue {
        let action = reference.validates ? "VALIDATE" : reference.action == .deleteSelf ? "DELETE_SELF" : "NONE"
        let target = reference.recordID.zoneID
        var members = [
            JSONValue.Member("recordName", .string(reference.recordID.recordName)),
            JSONValue.Member("action", .string(action)),
        ]
        if target != zoneID {
            var zone = [JSONValue.Member("zoneName", .string(target.zoneName))]
            if target.ownerName != CKCurrentUserDefaultName {
                zone.append(JSONValue.Member("ownerRecordName", .string(target.ownerName)))
            }
            members.append(JSONValue.Member("zoneID", .object(zone)))
        }
        return .object(members)
    }

    private static func asset(_ remote: Asset?, _ key: String) throws(CKError) -> JSONValue {
        guard let remote, let receipt = remote.receipt else {
            throw CKError(.assetFileNotFound, "The asset in the field '\(key)' has not been uploaded.")
        }
        var members = [JSONValue.Member("receipt", .string(receipt))]
        if let checksum = remote.fileChecksum { members.append(JSONValue.Member("fileChecksum", .string(checksum))) }
        if let size = remote.size { members.append(JSONValue.Member("size", .int(size))) }
        if let checksum = remote.referenceChecksum {
            members.append(JSONValue.Member("referenceChecksum", .string(checksum)))
        }
        if let key = remote.wrappingKey { members.append(JSONValue.Member("wrappingKey", .string(key))) }
        return .object(members)
    }

    // MARK: - Reading

    /// Reads the dictionary of a field; nil if its type is unknown.
    ///
    /// - Throws: ``CKError/Code/internalError`` if the value is not of its type.
    static func content(from json: JSONValue, for key: String, in zoneID: CKRecordZoneID) throws(CKError)
        -> FieldContent?
    {
        guard let value = json["value"], !value.isNull, let type = json["type"]?.string else { return nil }
        guard type.hasSuffix("_LIST") else {
            guard let content = content(value, type, zoneID) else { throw wrong(key, type) }
            return content
        }
        guard let values = value.array else { throw wrong(key, type) }
        let element = String(type.dropLast("_LIST".count))
        var elements: [FieldContent] = []
        elements.reserveCapacity(values.count)
        for value in values {
            guard let content = content(value, element, zoneID) else { throw wrong(key, type) }
            elements.append(content)
        }
        return .list(elements)
    }

    private static func wrong(_ key: String, _ type: String) -> CKError {
        .unexpectedAnswer("the field '\(key)' has no value of the type \(type)")
    }

    private static func content(_ value: JSONValue, _ type: String, _ zoneID: CKRecordZoneID) -> FieldContent? {
        switch type {
        case "STRING": value.string.map(FieldContent.string)
        case "INT64": value.int.map { .number(NSNumber(value: $0)) }
        case "DOUBLE": value.double.map { .number(NSNumber(value: $0)) }
        case "TIMESTAMP": value.int.map { .date(Date(wireMilliseconds: $0)) }
        case "BYTES", "ENCRYPTED_BYTES": value.string.flatMap { Data(base64Encoded: $0) }.map(FieldContent.data)
        case "LOCATION": location(from: value).map(FieldContent.location)
        case "REFERENCE": reference(from: value, in: zoneID).map(FieldContent.reference)
        case "ASSETID", "ASSET": asset(from: value).map(FieldContent.asset)
        default: nil
        }
    }

    private static func location(from json: JSONValue) -> CLLocation? {
        guard let latitude = json["latitude"]?.double, let longitude = json["longitude"]?.double else { return nil }
        return CLLocation(
            coordinate: CLLocationCoordinate2D(latitude: latitude, longitude: longitude),
            altitude: json["altitude"]?.double ?? 0, horizontalAccuracy: json["horizontalAccuracy"]?.double ?? 0,
            verticalAccuracy: json["verticalAccuracy"]?.double ?? -1, course: json["course"]?.double ?? -1,
            speed: json["speed"]?.double ?? -1,
            timestamp: json["timestamp"]?.int.map { Date(wireMilliseconds: $0) } ?? Date(timeIntervalSince1970: 0))
    }

    /// Reads the dictionary of a reference from a record in a zone.
    static func reference(from json: JSONValue, in zoneID: CKRecordZoneID) -> CKReference? {
        guard let name = json["recordName"]?.string else { return nil }
        var target = zoneID
        if let zone = json["zoneID"], let zoneName = zone["zoneName"]?.string, zoneName != zoneID.zoneName {
            target = CKRecordZoneID(zoneName: zoneName, ownerName: zoneID.ownerName)
        }
        let action = json["action"]?.string
        return CKReference(
            recordID: CKRecordID(recordName: name, zoneID: target),
            action: action == "DELETE_SELF" ? .deleteSelf : .none,
            validates: action == "VALIDATE")
    }

    private static func asset(from json: JSONValue) -> CKAsset? {
        guard let checksum = json["fileChecksum"]?.string else { return nil }
        return CKAsset(
            remote: Asset(
                fileChecksum: checksum, size: json["size"]?.int, referenceChecksum: json["referenceChecksum"]?.string,
                wrappingKey: json["wrappingKey"]?.string, downloadURL: json["downloadURL"]?.string))
    }
}

extension Date {
    /// The milliseconds since 1970, as the server counts them; 0 if the date is out of range.
    var wireMilliseconds: Int64 { Int64(exactly: (timeIntervalSince1970 * 1000).rounded()) ?? 0 }

    /// Creates a date from the milliseconds since 1970.
    init(wireMilliseconds: Int64) { self.init(timeIntervalSince1970: Double(wireMilliseconds) / 1000) }
}
