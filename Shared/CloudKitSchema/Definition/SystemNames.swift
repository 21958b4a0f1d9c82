package import CloudKitModel

/// The fields that every record type has. A schema lists them only to declare an index; omitting one removes its
/// indexes, not the field. The cases are in printing order.
package enum SystemField: String, CaseIterable, Hashable, Sendable {
    case createTime = "___createTime"
    case createdBy = "___createdBy"
    case etag = "___etag"
    case modTime = "___modTime"
    case modifiedBy = "___modifiedBy"
    case recordID = "___recordID"

    /// The type of the field, which no schema can change.
    package var type: FieldType {
        switch self {
        case .createTime, .modTime: .timestamp
        case .createdBy, .modifiedBy, .recordID: .reference
        case .etag: .string
        }
    }

    /// The fields of shares that the system defines. Schemas name them like the fields of an application.
    private static let ofShares: [String: FieldType] = [
        "cloudkit.thumbnailImageData": .bytes, "cloudkit.title": .string, "cloudkit.type": .string,
    ]

    /// The type of the field `name` of `recordType` if it is a system field; otherwise nil.
    static func type(of name: String, in recordType: String) -> FieldType? {
        SystemField(rawValue: name)?.type ?? (recordType == RecordTypeName.share.rawValue ? ofShares[name] : nil)
    }
}

/// The built-in roles.
package enum SystemRole: String, CaseIterable, Hashable, Sendable {
    /// All users, signed in or not.
    case world = "_world"
    /// Every user who has signed in.
    case icloud = "_icloud"
    /// The user who created the record.
    case creator = "_creator"
}
