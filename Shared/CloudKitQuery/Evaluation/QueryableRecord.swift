package import CloudKitModel

/// A record as the evaluation in memory sees it.
package protocol QueryableRecord {
    /// The record's name.
    var recordName: String { get }
    /// The name of its zone.
    var zoneName: String { get }
    /// When it was made and last changed, in milliseconds since 1970.
    var createdTimestamp: Int64 { get }
    var modifiedTimestamp: Int64 { get }
    /// Who made it and changed it last.
    var createdUserRecordName: String { get }
    var modifiedUserRecordName: String { get }
    /// The name of its parent.
    var parentRecordName: String? { get }

    /// The value of a field of that type; nil: it has none.
    func value(ofField name: String, as type: FieldType) -> FieldValue?
}
