/// One line of an import: a web-services operation, as it was written.
struct ImportLine: Sendable, Equatable {
    /// The line's number in the file, from 1.
    var number: Int
    /// The operation's JSON, without the line's end.
    var bytes: [UInt8]
    /// The record the operation is about; nil if the service is to make a name.
    var recordName: String?
}
