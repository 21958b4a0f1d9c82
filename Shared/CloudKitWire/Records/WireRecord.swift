package import CloudKitModel

/// A record dictionary as sent by a client. Keys whose values the server determines (dates, deletion, zone) are not
/// read.
package struct WireRecord: Hashable, Sendable {
    /// A change to the record's parent.
    package enum ParentChange: Hashable, Sendable {
        /// The parent remains, because the key is absent.
        case absent
        /// The parent is removed, because the value is null.
        case clear
        /// The record with this name in the same zone becomes the parent.
        case set(RecordName)
    }

    /// The record's name; if nil, the server generates one.
    package var recordName: RecordName?
    /// The record's type.
    package var recordType: String?
    /// The change tag of the client's copy.
    package var recordChangeTag: String?
    /// The fields to change, in their original order and without duplicate names.
    package var fields: [WireField]
    /// The change to the record's parent.
    package var parent: ParentChange
    /// Whether to create a short identifier.
    package var createShortGUID: Bool
    /// The keys that only shares have.
    package var share = WireShare()

    /// Creates a record dictionary.
    package init(
        recordName: RecordName? = nil, recordType: String? = nil, recordChangeTag: String? = nil,
        fields: [WireField] = [], parent: ParentChange = .absent, createShortGUID: Bool = false
    ) {
        self.recordName = recordName
        self.recordType = recordType
        self.recordChangeTag = recordChangeTag
        self.fields = fields
        self.parent = parent
        self.createShortGUID = createShortGUID
    }

    /// Whether the record's type is the type of shares.
    package var isShare: Bool { recordType == RecordTypeName.share.rawValue }
}
