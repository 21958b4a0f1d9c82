internal import Foundation

/// What the server knows of a record besides its fields.
struct RecordSystemFields {
    /// The time and the user of a record's creation or of its last change.
    struct Stamp {
        var date: Date
        var userID: CKRecordID?
    }

    /// Changes with every save; nil if the record has never been saved.
    var changeTag: String?
    var created: Stamp?
    var modified: Stamp?
    var parent: CKReference?
    /// Whether the parent has changed since the record was fetched or saved.
    var parentHasChanged = false
    var share: CKReference?
    /// The end of the link of the record's share.
    var shortGUID: String?
}
