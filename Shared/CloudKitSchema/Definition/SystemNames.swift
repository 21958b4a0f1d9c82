package import CloudKitModel

/// The fields that every record type has. They are written into a schema only to give them an index, and leaving one
/// out drops its indexes, not the field. The cases are in the order in which they are printed.
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

    /// The fields that the system gives to shares, which schemas name as they name their own.
    private static let ofShares: [String: FieldType] = [
        "cloudkit.thumbnailImageData": .bytes, "cloudkit.title": .string, "cloudkit.type": .string,
    ]

    /// The type of the field `name` of `recordType`, if it is the system's to name.
    static func type(of name: String, in recordType: String) -> FieldType? {
        SystemField(rawValue: name)?.type ?? (recordType == RecordTypeName.share.rawValue ? ofShares[name] : nil)
    }
}

/// The roles that exist without being made.
package enum SystemRole: String, CaseIterable, Hashable, Sendable {
    /// Everybody, with or without an account.
    case world = "_world"
    /// Every user who has signed in.
    case icloud = "_icloud"
    /// Whoever created the record in question.
    case creator = "_creator"
}
