package import CloudKitModel
internal import CoreMetrics
package import Logging
package import ServiceMessages
package import ServiceRuntime
internal import Synchronization

/// A check of requests against the producers file, made before any other work on a request.
///
/// The broker authenticates the sender. If the `user-id` of a message is not the user of the connection, the broker
/// refuses the message with 406, which closes the sender's channel. Messages between services, on `zonda.internal`, are
/// not checked here, because the broker's permissions protect them.
///
/// At most once every two seconds, a request causes the file to be read again. If the file cannot be used, the previous
/// rules stay in force. The error is logged once, and again only if it changes.
package final class Producers: Sendable {
    /// The exchanges to which producers publish.
    static let exchanges: Set = [Exchange.requests, Exchange.admin]
    private static let interval = Duration.seconds(2)

    private struct State {
        var file: ProducersFile
        var lookedAt: ContinuousClock.Instant
        var fault: ProducersFault?
    }

    private let state: Mutex<State>
    private let now: @Sendable () -> ContinuousClock.Instant
    private let refused: Counter
    private let isStale: Meter
    private let logger: Logger

    /// Creates a check against `file`; returns nil if `file` is nil.
    package init?(
        _ file: ProducersFile?, metrics: ServiceMetrics, logger: Logger,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { ContinuousClock.now }
    ) {
        guard let file else { return nil }
        state = Mutex(State(file: file, lookedAt: now()))
        self.now = now
        self.logger = logger
        refused = metrics.counter(Self.refused)
        isStale = metrics.gauge(Self.stale)
    }

    /// Admits a request, or refuses it.
    ///
    /// - Parameters:
    ///   - user: the message's `user-id` property.
    ///   - exchange: the exchange to which the request was published.
    /// - Throws: `producer_not_allowed` if the rules do not allow the request.
    package func admit(
        _ operation: ServiceMessages.Operation, _ context: RequestContext, from user: String?, by exchange: String
    ) throws(ServerError) {
        guard Self.exchanges.contains(exchange) else { return }
        do throws(ServerError) {
            try currentRules().admit(operation, context, from: user)
        } catch {
            refused.increment()
            throw error
        }
    }

    private func currentRules() -> ProducerRules {
        state.withLock { state in
            let now = now()
            guard now - state.lookedAt >= Self.interval else { return state.file.rules }
            state.lookedAt = now
            do throws(ProducersFault) {
                if let file = try state.file.reread() {
                    state.file = file
                    logger.notice("the producers file has changed", metadata: ["users": "\(file.rules.userCount)"])
                }
                state.fault = nil
                isStale.set(0)
            } catch {
                isStale.set(1)
                if state.fault != error {
                    logger.error(
                        "the producers file is invalid; the previous rules stay in force",
                        metadata: ["error": "\(error)"])
                }
                state.fault = error
            }
            return state.file.rules
        }
    }
}

extension Producers {
    private static let refused = MetricFamily.counter(
        "zonda_producers_refused_total", "Requests refused because the producers file does not allow them.")
    private static let stale = MetricFamily.gauge(
        "zonda_producers_file_stale",
        "1 while the producers file cannot be used and the previous rules stay in force, otherwise 0.")
}
