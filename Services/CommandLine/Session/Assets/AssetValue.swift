package import CloudKitWire
package import ServiceMessages

/// An asset dictionary: what an upload is answered with, or what a fetched record's field holds.
package struct AssetValue: Sendable {
    /// The dictionary as it came. An upload's is written into a record as it is.
    package var json: JSONValue
    /// The checksum of the bytes.
    package var checksum: AssetChecksum
    /// How many bytes.
    package var size: Int64
    /// Where they can be fetched for a while.
    package var downloadURL: String?

    /// Reads a dictionary; nil when it is none.
    package init?(_ json: JSONValue) {
        guard let checksum = json["fileChecksum"]?.string.flatMap({ AssetChecksum($0) }), let size = json["size"]?.int
        else { return nil }
        self.json = json
        self.checksum = checksum
        self.size = size
        // Clients may put a file name in this place (web-services 7.3); braces have none in a URL.
        downloadURL = json["downloadURL"]?.string?.replacing("${f}", with: "asset")
    }

    /// Reads the answer to the upload of `source`.
    ///
    /// - Throws: `.refused`; `.local(.checksumMismatch)` when the service has other bytes than were sent.
    package init(receiptIn answer: Answer, for source: some AssetSource) throws(RequestFailure) {
        guard let value = AssetValue(try answer.json()["singleFile"] ?? .null) else {
            throw .unanswered(reason: "the answer to the upload has no receipt")
        }
        guard value.checksum == source.checksum, value.size == source.size else {
            throw .local(
                .checksumMismatch,
                reason: "\(source.size) bytes of SHA-256 \(source.checksum) were sent, but the service has "
                    + "\(value.size) of \(value.checksum)")
        }
        self = value
    }
}
