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

/// Has the subscription service forget the clients of sign-ins that have ended, and everything of users whose account was
/// removed.
///
/// The table `account.departure` lists the departures that are left, so that none is lost while the service is away. Each
/// gateway works through the table as soon as it has ended something itself, and every few seconds. If two gateways do so
/// at once, the service is asked twice, which has no further effect.
struct Departures: Service {
    /// Departures per round trip; `clients.forget` takes no more users.
    private static let batch = 100
    /// Between two reads of the table.
    private static let period = Duration.seconds(5)
    /// How long the subscription service may take to answer.
    private static let answerTime = Duration.seconds(10)

    /// Departures that one request names.
    private struct Group: Hashable {
        var place: ContainerPlace
        /// Whether they are users, with everything of theirs, and not sign-ins.
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
                            "the subscription service has not forgotten the clients of ended sign-ins; retrying",
                            metadata: ["error": "\(error)"])
                    } catch {}
                }
                group.cancelAll()
            }
        }
    }

    /// Works through the table once.
    ///
    /// - Throws: `PostgresError`, `AMQPError`, ``Refused``; the rest of the table is left then.
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
        // 404: there is nothing to forget.
        guard status == 200 || status == 404 else { throw Refused(status: status) }
    }

    /// The subscription service answered with an error.
    struct Refused: Error {
        /// The error's HTTP status.
        var status: Int64
    }
}

/// Tells ``Departures`` that the table has new rows. Any thread.
final class DepartureSignal: Sendable {
    /// Yields after ``raise()``; calls that come before it is consumed count as one.
    let raised: AsyncStream<Void>
    private let raising: AsyncStream<Void>.Continuation

    init() { (raised, raising) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1)) }

    /// The table has new rows.
    func raise() { raising.yield() }
}

/// The metrics of ``Departures``.
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
