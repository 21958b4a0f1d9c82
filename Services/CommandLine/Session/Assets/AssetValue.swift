package import CloudKitWire
package import ServiceMessages

/// An asset dictionary, from the response to an upload or from a field of a record.
package struct AssetValue: Sendable {
    /// The dictionary, unchanged. The dictionary from an upload becomes the value of a record's field.
    package var json: JSONValue
    /// The checksum of the bytes.
    package var checksum: AssetChecksum
    /// The size in bytes.
    package var size: Int64
    /// The download address, which expires.
    package var downloadURL: String?

    /// Parses a dictionary; returns nil if it is invalid.
    package init?(_ json: JSONValue) {
        guard let checksum = json["fileChecksum"]?.string.flatMap({ AssetChecksum($0) }), let size = json["size"]?.int
        else { return nil }
        self.json = json
        self.checksum = checksum
        self.size = size
        // Clients may replace this placeholder with a file name (web-services 7.3). Braces are invalid in a URL.
        downloadURL = json["downloadURL"]?.string?.replacing("${f}", with: "asset")
    }

    /// Parses the response to the upload of `source`.
    ///
    /// - Throws: `.refused`; `.local(.checksumMismatch)` if the service received different bytes.
    package init(receiptIn answer: Answer, for source: some AssetSource) throws(RequestFailure) {
        guard let value = AssetValue(try answer.json()["singleFile"] ?? .null) else {
            throw .unanswered(reason: "the answer to the upload contains no receipt")
        }
        guard value.checksum == source.checksum, value.size == source.size else {
            throw .local(
                .checksumMismatch,
                reason: "\(source.size) bytes with SHA-256 \(source.checksum) were sent, but the service has "
                    + "\(value.size) bytes with SHA-256 \(value.checksum)")
        }
        self = value
    }
}
