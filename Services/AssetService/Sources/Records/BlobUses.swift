internal import AMQPClient
internal import AssetStorage
internal import CloudKitModel
internal import CloudKitWire
internal import Logging
internal import RequestServing
internal import ServiceMessages
internal import Synchronization

/// Asks the record service, over `zonda.internal`, which blobs are used by records.
final class BlobUses: Sendable {
    /// The error thrown if the record service does not answer. The failure has been logged.
    struct Unknown: Error {}

    /// The maximum number of blobs in one request.
    static let maxBlobs = 1000

    private let client: AMQPRPCClient
    private let exchange: String
    private let timeout: Duration
    private let consequence: String
    private let logger: Logger
    private let isSilent = Mutex(false)

    /// Creates an instance that sends requests with `client` and waits up to `timeout` for each answer.
    ///
    /// - Parameter consequence: the consequence of a missing answer, for the log.
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

    /// Returns the elements of `blobs` that are used by records in a container. Sends one request per ``maxBlobs``
    /// blobs. Only the first of several failures in a row is logged.
    ///
    /// - Parameter scope: the database whose records are considered; nil for all databases of the container. With a
    ///   scope, a use might be missed if very many records use the content.
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

    /// Returns the databases of an environment that contain records using `blobs`. Sends one request for each page of
    /// the answer.
    ///
    /// - Throws: ``Unknown``.
    func holders(of blobs: [BlobID], in container: String, environment: EnvironmentName) async throws(Unknown)
        -> [BlobHolder]
    {
        var holders: [BlobHolder] = []
        var after: JSONValue?
        repeat {
            let question: JSONValue = [
                "container": .string(container), "environment": .string(environment.rawValue),
                "blobs": .array(blobs.map { .int($0.rawValue) }), "after": after ?? .null,
            ]
            let answer = try await ask(.assetsHolders, question.encoded(), listed: "holders")
            for holder in answer["holders"]?.array ?? [] {
                guard let blob = holder["blob"]?.int,
                    let scope = holder["database"]?.string.flatMap(DatabaseScope.init(wireName:)),
                    let owner = holder["owner"]?.string
                else { continue }
                holders.append(
                    BlobHolder(blob: BlobID(rawValue: blob), environment: environment, scope: scope, owner: owner))
            }
            after = answer["after"]
        } while after != nil
        return holders
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
            writer.member("environment", scope.environment.rawValue)
            writer.member("database", scope.scope.wireName)
            writer.member("owner", scope.owner)
        }
        let answer = try await ask(.assetsUsed, writer.bytes, listed: "used")
        return Set((answer["used"]?.array ?? []).compactMap { $0.int.map(BlobID.init(rawValue:)) })
    }

    /// Sends one request, whose answer must contain a list named `listed`.
    private func ask(
        _ operation: ServiceMessages.Operation, _ body: [UInt8], listed: String
    ) async throws(Unknown) -> JSONValue {
        // After the deadline, the record service no longer has to answer.
        let deadline = SystemClock.milliseconds() + timeout.components.seconds * 1000
        var headers: AMQPTable = [Header.version: .int64(1), Header.deadline: .int64(deadline)]
        headers.set(WorkOrigin.current?.trace)
        let question = AMQPMessage(
            exchange: exchange, routingKey: operation.rawValue,
            properties: AMQPProperties(contentType: "application/json", isPersistent: false, headers: headers),
            body: body)
        do {
            let answer = try await client.call(question, timeout: timeout)
            let json = try JSONValue(parsing: answer.body)
            guard answer.properties.headers.int64(Header.status) == 200, json[listed]?.array != nil else {
                throw AMQPError(.refused, "the answer contains no list '\(listed)'")
            }
            note(nil)
            return json
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
                "the record service does not report which blobs are used",
                metadata: ["meanwhile": "\(consequence)", "error": "\(error)"])
        } else if error == nil, wasSilent {
            logger.notice("the record service reports again which blobs are used")
        }
    }
}
