internal import AMQPClient
internal import Foundation
internal import PostgresClient
internal import RequestServing
package import ServiceMessages

/// Failures on purpose, for tests only: with `ZONDA_FAULTS=true` a message may ask for one by its header `zonda-fault`.
/// Off, the header means nothing.
package struct FaultSwitch: Sendable {
    /// Dies between the commit and the answer, as `kill -9` would.
    package static let dieAfterCommit = "die-after-commit"
    /// Dies while the request is being decided, each time it comes back: a poison message.
    package static let dieOnReceipt = "die-on-receipt"
    /// Publishes none of the transaction's events; the answers are.
    package static let dropEvent = "drop-event"
    /// Dawdles when everything is decided and written, with all locks held, before the commit.
    package static let slowTransaction = "slow-transaction"

    private let isOn: Bool

    /// A switch that is on or off.
    package init(isOn: Bool) { self.isOn = isOn }

    /// What a transaction over `requests` has to do before its commit.
    func beforeCommit(of requests: [WriteRequest]) -> [PostgresCall] {
        isAsked(by: requests, Self.slowTransaction) ? [PostgresCall("select pg_sleep(0.05 + 0.15 * random())")] : []
    }

    /// Called when `requests` are committed and nothing of it was published.
    package func committed(_ requests: [WriteRequest]) {
        dieIfAsked(requests, Self.dieAfterCommit)
    }

    /// Called when `requests` are about to be executed.
    package func executing(_ requests: [WriteRequest]) {
        dieIfAsked(requests, Self.dieOnReceipt)
    }

    /// Called when a read is about to be executed.
    func executing(_ read: OpenedRequest) {
        if isOn, read.delivery.properties.headers.string(Header.fault) == Self.dieOnReceipt { kill(getpid(), SIGKILL) }
    }

    /// What is to be published of `events`, which `requests` brought about.
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
