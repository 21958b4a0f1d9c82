package import CloudKitModel

/// A record as seen by the in-memory evaluation.
package protocol QueryableRecord {
    /// The record's name.
    var recordName: String { get }
    /// The name of the record's zone.
    var zoneName: String { get }
    /// The time of the record's creation, in milliseconds since 1970.
    var createdTimestamp: Int64 { get }
    /// The time of the record's last modification, in milliseconds since 1970.
    var modifiedTimestamp: Int64 { get }
    /// The name of the user who created the record.
    var createdUserRecordName: String { get }
    /// The name of the user who last modified the record.
    var modifiedUserRecordName: String { get }
    /// The name of the record's parent; nil if it has none.
    var parentRecordName: String? { get }

    /// Returns the value of the field called `name`, read as a value of `type`; nil if the record has no such value.
    func value(ofField name: String, as type: FieldType) -> FieldValue?
}
