internal import AMQPClient
internal import Foundation
internal import ServiceMessages

/// Failures on purpose, for tests only: with `ZONDA_FAULTS=true` a message may ask, by its header `zonda-fault`, for
/// the process to die at a point. Off, the header means nothing.
package struct FaultSwitch: Sendable {
    /// Dies between the commit and the answer, as `kill -9` would.
    package static let dieAfterCommit = "die-after-commit"
    /// Dies while the request is being decided, each time it comes back: a poison message.
    package static let dieOnReceipt = "die-on-receipt"

    private let isOn: Bool

    /// A switch that is on or off.
    package init(isOn: Bool) { self.isOn = isOn }

    /// Called when `requests` are committed and nothing of it was published.
    package func committed(_ requests: [WriteRequest]) {
        dieIfAsked(requests, Self.dieAfterCommit)
    }

    /// Called when `requests` are about to be executed.
    package func executing(_ requests: [WriteRequest]) {
        dieIfAsked(requests, Self.dieOnReceipt)
    }

    private func dieIfAsked(_ requests: [WriteRequest], _ fault: String) {
        guard isOn, requests.contains(where: { $0.delivery.properties.headers.string(Header.fault) == fault }) else {
            return
        }
        kill(getpid(), SIGKILL)
    }
}
