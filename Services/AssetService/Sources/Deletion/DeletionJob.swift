internal import AMQPClient
internal import AssetStorage
internal import CloudKitModel
internal import CloudKitWire
internal import ServiceMessages

/// The delayed message that starts the deletion of a condemned blob. The blob's row determines whether the blob is
/// deleted. A message that is lost, late, early or repeated affects only the time at which the row is checked.
struct DeletionJob: Sendable, Equatable {
    /// The delay, counted from a blob's due time, after which its message is considered lost.
    static let lateAfter = Duration.seconds(10)

    let blob: BlobID
    /// The container. Like ``checksum``, it is only for operators who inspect the queue.
    let container: String
    let checksum: AssetChecksum

    init(_ blob: StoredBlob) {
        self.blob = blob.id
        container = blob.container
        checksum = blob.checksum
    }

    /// Decodes the body of ``message(after:)``.
    ///
    /// - Throws: `BAD_REQUEST` if it is malformed.
    init(decoding body: [UInt8]) throws(ServerError) {
        let json = try JSONValue(parsing: body)
        guard let blob = json["blob"]?.int, let container = json["container"]?.string,
            let checksum = json["checksum"]?.string.flatMap({ AssetChecksum($0) })
        else { throw ServerError(.jobMalformed, "The deletion job is malformed") }
        self.blob = BlobID(rawValue: blob)
        self.container = container
        self.checksum = checksum
    }

    /// Returns the message, which reaches ``Queue/assetJobs`` after `grace` and carries the trace context of the
    /// current task.
    func message(after grace: Duration) -> AMQPMessage {
        var headers: AMQPTable = [Header.version: .int64(1)]
        headers.set(WorkOrigin.current?.trace)
        var writer = WireWriter()
        writer.object { writer in
            writer.member("blob", blob.rawValue)
            writer.member("container", container)
            writer.member("checksum", checksum.hex)
        }
        return AMQPMessage(
            exchange: Exchange.delay,
            routingKey: Queue.wait(for: Queue.assetJobs, seconds: Int(grace.components.seconds)),
            properties: AMQPProperties(contentType: "application/json", headers: headers),
            body: writer.bytes)
    }
}
