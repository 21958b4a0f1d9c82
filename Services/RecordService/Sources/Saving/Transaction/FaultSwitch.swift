internal import AMQPClient
internal import Foundation
internal import PostgresClient
internal import RequestServing
package import ServiceMessages

/// Deliberate failures, for tests only. With `ZONDA_FAULTS=true`, a message can request a failure with its
/// `zonda-fault` header. Otherwise, the header has no effect.
package struct FaultSwitch: Sendable {
    /// Kills the process between the commit and the answer.
    package static let dieAfterCommit = "die-after-commit"
    /// Kills the process whenever the request is about to be executed, so that the request becomes a poison message.
    package static let dieOnReceipt = "die-on-receipt"
    /// Publishes the answers of the transaction but none of its events.
    package static let dropEvent = "drop-event"
    /// Delays a transaction before its commit, while it holds all locks.
    package static let slowTransaction = "slow-transaction"

    private let isOn: Bool

    /// Creates a switch.
    package init(isOn: Bool) { self.isOn = isOn }

    /// Returns the statements to run before the commit of `requests`.
    func beforeCommit(of requests: [WriteRequest]) -> [PostgresCall] {
        isAsked(by: requests, Self.slowTransaction) ? [PostgresCall("select pg_sleep(0.05 + 0.15 * random())")] : []
    }

    /// Kills the process if one of `requests` asks for ``dieAfterCommit``. Called after the commit and before anything
    /// is published.
    package func committed(_ requests: [WriteRequest]) {
        dieIfAsked(requests, Self.dieAfterCommit)
    }

    /// Kills the process if one of `requests` asks for ``dieOnReceipt``. Called before the requests are executed.
    package func executing(_ requests: [WriteRequest]) {
        dieIfAsked(requests, Self.dieOnReceipt)
    }

    /// Kills the process if `read` asks for ``dieOnReceipt``. Called before the read is executed.
    func executing(_ read: OpenedRequest) {
        if isOn, read.delivery.properties.headers.string(Header.fault) == Self.dieOnReceipt { kill(getpid(), SIGKILL) }
    }

    /// Returns the events to publish: none if one of `requests` asks for ``dropEvent``, otherwise `events`.
    package func published(_ events: [ChangeEvent], of requests: [WriteRequest]) -> [ChangeEvent] {
        isAsked(by: requests, Self.dropEvent) ? [] : events
    }

    private func dieIfAsked(_ requests: [WriteRequest], _ fault: String) {
        if isAsked(by: requests, fault) { kill(getpid(), SIGKILL) }
    }

    private func isAsked(by requests: [WriteRequest], _ fault: String) -> Bool {
        isOn && requests.contains { $0.delivery.properties.headers.string(Header.fault) == fault }
    }
}
