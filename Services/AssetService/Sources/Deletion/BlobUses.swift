internal import AMQPClient
internal import CloudKitWire
internal import Logging
internal import RequestServing
internal import ServiceMessages
internal import Synchronization

/// Which blobs records use: the record service knows, and is asked over `zonda.internal`.
final class BlobUses: Sendable {
    /// The record service did not say.
    struct Unknown: Error {}

    /// Blobs of one question.
    static let maxBlobs = 1000

    private let client: AMQPRPCClient
    private let exchange: String
    private let timeout: Duration
    private let consequence: String
    private let logger: Logger
    private let isSilent = Mutex(false)

    /// Asks over `client`, and waits for each answer for `timeout`.
    ///
    /// - Parameter consequence: what happens while there is no answer, for the log.
    init(
        client: AMQPRPCClient, exchange: String = Operation.assetsUsed.exchange, timeout: Duration = .seconds(20),
        consequence: String = "nothing is condemned", logger: Logger
    ) {
        self.client = client
        self.exchange = exchange
        self.timeout = timeout
        self.consequence = consequence
        self.logger = logger
    }

    /// Those of a container's blobs that a record uses. That it does not answer is logged once, until it does.
    ///
    /// - Parameter scope: whose records alone count; nil: all of the container's. Of a content that is used very often
    ///   not every use may be looked at.
    /// - Throws: ``Unknown``.
    func used(
        among blobs: [BlobID], in container: String, by scope: AssetScope? = nil
    ) async throws(Unknown) -> Set<BlobID> {
        var used: Set<BlobID> = []
        for start in stride(from: 0, to: blobs.count, by: Self.maxBlobs) {
            used.formUnion(try await ask(blobs[start..<min(start + Self.maxBlobs, blobs.count)], container, scope))
        }
        return used
    }

    private func ask(
        _ blobs: ArraySlice<BlobID>, _ container: String, _ scope: AssetScope?
    ) async throws(Unknown) -> Set<BlobID> {
        var writer = WireWriter()
        writer.object { writer in
            writer.member("container", container)
            writer.key("blobs")
            writer.array(blobs) { $0.int($1.rawValue) }
            guard let scope else { return }
            writer.member("environment", scope.environment)
            writer.member("database", scope.scope)
            writer.member("owner", scope.owner)
        }
        // A record service that was away need not answer what nobody waits for any more.
        let deadline = SystemClock.milliseconds() + timeout.components.seconds * 1000
        var headers: AMQPTable = [Header.version: .int64(1), Header.deadline: .int64(deadline)]
        headers.set(WorkOrigin.current?.trace)
        let question = AMQPMessage(
            exchange: exchange, routingKey: Operation.assetsUsed.rawValue,
            properties: AMQPProperties(contentType: "application/json", isPersistent: false, headers: headers),
            body: writer.bytes)
        do {
            let answer = try await client.call(question, timeout: timeout)
            let used = try JSONValue(parsing: answer.body)["used"]?.array
            guard answer.properties.headers.int64(Header.status) == 200, let used else {
                throw AMQPError(.refused, "the answer has no list of used blobs")
            }
            note(nil)
            return Set(used.compactMap { $0.int.map(BlobID.init(rawValue:)) })
        } catch {
            note(error)
            throw Unknown()
        }
    }

    private func note(_ error: (any Error)?) {
        let wasSilent = isSilent.withLock { isSilent in
            defer { isSilent = error != nil }
            return isSilent
        }
        if let error, !wasSilent {
            logger.warning(
                "the record service does not say which blobs are used",
                metadata: ["meanwhile": "\(consequence)", "error": "\(error)"])
        } else if error == nil, wasSilent {
            logger.notice("the record service says again which blobs are used")
        }
    }
}
