internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import GatewayStorage
internal import Logging
internal import Metrics
internal import RequestServing
internal import ServiceLifecycle
internal import ServiceMessages
internal import ServiceRuntime

/// Makes the subscription service remove the registered clients of sessions that have ended, and all data of users
/// whose accounts have been removed.
///
/// The `account.departure` table lists the pending departures, so that none is lost while the subscription service is
/// unavailable. Each gateway works through the table every few seconds, and also as soon as it has ended a session
/// itself. If two gateways do so at the same time, the service receives the same request twice. The second request has
/// no effect.
struct Departures: Service {
    /// The number of departures per round trip: the maximum that `clients.forget` accepts.
    private static let batch = 100
    /// The time between reads of the table.
    private static let period = Duration.seconds(5)
    /// The time limit for an answer from the subscription service.
    private static let answerTime = Duration.seconds(10)

    /// The properties that all departures in one request have in common.
    private struct Group: Hashable {
        var place: ContainerPlace
        /// Whether the departures are those of users rather than of sessions. All of a departed user's data is removed.
        var isOfUsers: Bool

        init(_ departure: Departure) {
            place = departure.place
            isOfUsers = if case .user = departure.subject { true } else { false }
        }
    }

    let accounts: AccountStore
    let call: RemoteCall
    let signal: DepartureSignal
    let metrics: DepartureMetrics
    let logger: Logger

    /// Runs until graceful shutdown.
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
                            "the clients of ended sessions could not be removed; retrying",
                            metadata: ["error": "\(error)"])
                    } catch {}
                }
                group.cancelAll()
            }
        }
    }

    /// Works through the table once.
    ///
    /// - Throws: `PostgresError`, `AMQPError` or ``Refused``. The remaining rows then stay in the table.
    func runOnce() async throws {
        var departures = try await accounts.departures(after: 0, limit: Self.batch)
        while !departures.isEmpty {
            for (group, members) in Dictionary(grouping: departures, by: Group.init) {
                try await forget(members, of: group)
                try await accounts.removeDepartures(members.map(\.id))
                metrics.forgotten.increment(by: members.count)
            }
            guard departures.count == Self.batch, let last = departures.last else { return }
            departures = try await accounts.departures(after: last.id, limit: Self.batch)
        }
    }

    private func forget(_ departures: [Departure], of group: Group) async throws {
        let names = departures.map { departure -> JSONValue in
            switch departure.subject {
            case .session(let id): .string(id.uuidString.lowercased())
            case .user(let name): .string(name)
            }
        }
        let body = JSONValue.object([
            JSONValue.Member("container", .string(group.place.container)),
            JSONValue.Member("environment", .string(group.place.environment.rawValue)),
            JSONValue.Member(group.isOfUsers ? "users" : "sessions", .array(names)),
            JSONValue.Member("removesSubscriptions", .bool(group.isOfUsers)),
        ])
        let deadline = SystemClock.milliseconds() + Self.answerTime.components.seconds * 1000
        let reply = try await call(
            AMQPMessage(
                exchange: Exchange.internal, routingKey: Operation.clientsForget.rawValue,
                properties: AMQPProperties(
                    messageID: UUID().uuidString.lowercased(), contentType: "application/json", isPersistent: true,
                    headers: [Header.version: 1, Header.deadline: .int64(deadline)]),
                body: body.encoded()),
            Self.answerTime)
        let status = reply.properties.headers.int64(Header.status) ?? 0
        // A 404 means that there is nothing to remove.
        guard status == 200 || status == 404 else { throw Refused(status: status) }
    }

    /// The error thrown if the subscription service answers with an error.
    struct Refused: Error {
        /// The error's HTTP status.
        var status: Int64
    }
}

/// Wakes ``Departures`` when the table has new rows. It can be used from any thread.
final class DepartureSignal: Sendable {
    /// A stream that yields a value when ``raise()`` is called. Until the value is consumed, further calls yield
    /// nothing.
    let raised: AsyncStream<Void>
    private let raising: AsyncStream<Void>.Continuation

    init() { (raised, raising) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    /// Signals that the table has new rows.
    func raise() { raising.yield() }
}

/// The metrics of ``Departures``.
struct DepartureMetrics: Sendable {
    /// Sessions and users whose clients the subscription service has removed.
    let forgotten: Counter

    /// Creates the handles in `metrics`.
    init(_ metrics: ServiceMetrics) {
        metrics.declare(Self.family)
        forgotten = metrics.counter(Self.family)
    }

    private static let family = MetricFamily.counter(
        "zonda_gateway_departures_total",
        "Ended sessions and removed users whose clients the subscription service has removed.")
}
