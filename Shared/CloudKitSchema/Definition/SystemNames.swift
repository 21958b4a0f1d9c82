package import CloudKitModel

/// The fields that every record type has. A schema lists one of these fields only to declare indexes on it. Omitting
/// the field removes its indexes, but not the field itself. The cases are in printing order.
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

    /// The system fields of shares. Schemas list them in the same way as the fields of an application.
    private static let ofShares: [String: FieldType] = [
        "cloudkit.thumbnailImageData": .bytes, "cloudkit.title": .string, "cloudkit.type": .string,
    ]

    /// Returns the type of the field `name` of `recordType` if it is a system field; otherwise nil.
    static func type(of name: String, in recordType: String) -> FieldType? {
        SystemField(rawValue: name)?.type ?? (recordType == RecordTypeName.share.rawValue ? ofShares[name] : nil)
    }
}

/// The built-in roles.
package enum SystemRole: String, CaseIterable, Hashable, Sendable {
    /// All users, whether or not they have signed in.
    case world = "_world"
    /// Every user who has signed in.
    case icloud = "_icloud"
    /// The user who created the record.
    case creator = "_creator"
}
