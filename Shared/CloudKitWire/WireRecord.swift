package import CloudKitModel

/// A record dictionary as a client wrote it. What the server decides (dates, deletion, zone) is not read.
package struct WireRecord: Hashable, Sendable {
    /// What the dictionary says about the record's parent.
    package enum ParentChange: Hashable, Sendable {
        /// Nothing: it stays.
        case absent
        /// Null: the record has none from now on.
        case clear
        /// The record of this name, in the same zone.
        case set(RecordName)
    }

    /// The record's name; nil lets the server make one.
    package var recordName: RecordName?
    /// The record's type.
    package var recordType: String?
    /// The tag the client's copy has.
    package var recordChangeTag: String?
    /// The fields that change, in the order they were written; no name twice.
    package var fields: [WireField]
    /// The record's place in a sharing hierarchy.
    package var parent: ParentChange
    /// Whether a short identifier is asked for.
    package var createShortGUID: Bool

    /// A record dictionary.
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
}
