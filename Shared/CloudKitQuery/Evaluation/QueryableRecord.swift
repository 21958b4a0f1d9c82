package import CloudKitModel

/// A record as seen by the evaluation in memory.
package protocol QueryableRecord {
    /// The record's name.
    var recordName: String { get }
    /// The name of its zone.
    var zoneName: String { get }
    /// The times of its creation and last modification, in milliseconds since 1970.
    var createdTimestamp: Int64 { get }
    var modifiedTimestamp: Int64 { get }
    /// The users who created it and last modified it.
    var createdUserRecordName: String { get }
    var modifiedUserRecordName: String { get }
    /// The name of its parent.
    var parentRecordName: String? { get }

    /// The value of a field of this type; nil if it has none.
    func value(ofField name: String, as type: FieldType) -> FieldValue?
}
