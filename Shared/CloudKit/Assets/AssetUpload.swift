/// An asset that is to be uploaded before its record is saved.
struct AssetUpload: Sendable {
    /// The file.
    var file: URL
    /// The type of the record.
    var recordType: String
    /// The name of the record.
    var recordName: String
    /// The field of the record.
    var fieldName: String
}
