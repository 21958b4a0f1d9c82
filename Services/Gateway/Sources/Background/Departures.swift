internal import AMQPClient
internal import CloudKitWire
internal import Foundation
internal import Logging
internal import Metrics
internal import PostgresClient
internal import RequestServing
internal import ServiceLifecycle
internal import ServiceMessages
internal import ServiceRuntime

/// Has the subscription service forget whom sign-ins that have ended had told: the clients that they registered, and
/// everything of users whose account is gone.
///
/// `account.departure` says what is left to do, so that nothing is lost while the service is away. Each gateway works
/// through the table as soon as it has ended something itself, and every few seconds; two that do so at once ask twice,
/// which has no further effect.
struct Departures: Service {
    /// Departures of one round trip, no more than `clients.forget` takes users.
    private static let batch = 100
    /// Between two looks at the table.
    private static let period = Duration.seconds(5)
    /// How long the subscription service may take.
    private static let patience = Duration.seconds(10)

    private struct Departure {
        var id: Int64
        var place: Place
        var who: JSONValue
    }

    /// What is asked in one request.
    private struct Place: Hashable {
        var container: String
        var environment: String
        /// Users with all that is theirs, instead of sign-ins.
        var isOfUsers: Bool
    }

    let accounts: AccountStore
    let ask: ContainerCheck.Ask
    let signal: DepartureSignal
    let metrics: DepartureMetrics
    let logger: Logger

    /// Until graceful shutdown.
    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask {
                    while !Task.isCancelled {
                        signal.raise()
                        try? await Task.sleep(for: Self.period)
                    }
                }
                for await _ in signal.raised {
                    do {
                        try await runOnce()
                    } catch  where !Task.isCancelled {
                        logger.warning(
                            "clients of ended sign-ins are not forgotten yet; it is tried again",
                            metadata: ["error": "\(error)"])
                    } catch {}
                }
                group.cancelAll()
            }
        }
    }

    /// Asks for everything that is left in the table.
    ///
    /// - Throws: `PostgresError`, `AMQPError`, ``Refused``; the rest stays in the table then.
    func runOnce() async throws {
        var departures = try await next(after: 0)
        while !departures.isEmpty {
            for (place, ofPlace) in Dictionary(grouping: departures, by: \.place) {
                try await forget(ofPlace.map(\.who), at: place)
                _ = try await accounts.rows(
                    "delete from account.departure where id = any($1)", [.int8Array(ofPlace.map(\.id))])
                metrics.forgotten.increment(by: ofPlace.count)
            }
            departures = departures.count < Self.batch ? [] : try await next(after: departures.last?.id ?? 0)
        }
    }

    private func next(after id: Int64) async throws -> [Departure] {
        try await accounts.rows(
            """
            select id, container, environment, session, user_name from account.departure where id > $1
            order by id limit $2
            """, [.int8(id), .int8(Int64(Self.batch))]
        ).map { row in
            let userName = row.stringIfPresent(4)
            return Departure(
                id: row.int64(0),
                place: Place(
                    container: row.string(1), environment: row.string(2), isOfUsers: userName != nil),
                who: .string(userName ?? row.uuid(3).uuidString.lowercased()))
        }
    }

    private func forget(_ who: [JSONValue], at place: Place) async throws {
        let body = JSONValue.object([
            JSONValue.Member("container", .string(place.container)),
            JSONValue.Member("environment", .string(place.environment)),
            JSONValue.Member(place.isOfUsers ? "users" : "sessions", .array(who)),
            JSONValue.Member("removesSubscriptions", .bool(place.isOfUsers)),
        ])
        let deadline = SystemClock.milliseconds() + Self.patience.components.seconds * 1000
        let reply = try await ask(
            AMQPMessage(
                exchange: Exchange.internal, routingKey: Operation.clientsForget.rawValue,
                properties: AMQPProperties(
                    messageID: UUID().uuidString.lowercased(), contentType: "application/json", isPersistent: true,
                    headers: [Header.version: 1, Header.deadline: .int64(deadline)]),
                body: body.encoded()),
            Self.patience)
        let status = reply.properties.headers.int64(Header.status) ?? 0
        // What is not there any more needs not be forgotten.
        guard status == 200 || status == 404 else { throw Refused(status: status) }
    }

    /// The subscription service answered an error.
    struct Refused: Error {
        /// The error's HTTP status.
        var status: Int64
    }
}

/// Tells ``Departures`` that there is something to do. Any thread.
final class DepartureSignal: Sendable {
    /// An element after each ``raise()`` that nothing has followed yet.
    let raised: AsyncStream<Void>
    private let raising: AsyncStream<Void>.Continuation

    init() { (raised, raising) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    /// There is something to do.
    func raise() { raising.yield() }
}

/// What is counted of ``Departures``.
struct DepartureMetrics: Sendable {
    /// Sign-ins and users that the subscription service has forgotten.
    let forgotten: Counter

    /// Handles in `metrics`.
    init(_ metrics: ServiceMetrics) {
        metrics.declare(Self.family)
        forgotten = metrics.counter(Self.family)
    }

    private static let family = MetricFamily.counter(
        "zonda_gateway_departures_total",
        "Ended sign-ins and removed users whose clients the subscription service has forgotten.")
}
