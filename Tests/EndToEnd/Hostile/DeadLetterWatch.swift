import ServiceMessages
import Synchronization
import TestSupport

/// Empties `dead-letters`, and reports the reason to each hostile request that is dead-lettered. A header of the test
/// identifies the request.
final class DeadLetterWatch: Sendable {
    /// The header with the number of a message's case.
    static let mark = "hostile-case"

    private let waiting = Mutex<[String: BrokerWire]>([:])

    /// Reads dead letters until the task is cancelled.
    ///
    /// - Throws: ``TestFailure`` if the broker ends the connection.
    func run(_ url: String) async throws {
        let wire = try await BrokerWire.open(url, consuming: Queue.deadLetters)
        for await event in wire.events {
            switch event {
            case .message(let letter):
                guard let mark = letter.header(Self.mark) else { continue }
                let reason = letter.header(Header.deadReason) ?? letter.header("x-first-death-reason") ?? "no reason"
                waiting.withLock { $0[mark] }?.note(.deadLettered(reason))
            case .closed(let text): throw TestFailure("the dead letters cannot be read: \(text)")
            case .lost: if !Task.isCancelled { throw TestFailure("the connection to the dead letters was lost") }
            default: break
            }
        }
    }

    /// Reports dead letters of a case to `wire` from now on.
    func expect(_ number: Int, _ wire: BrokerWire) { waiting.withLock { $0["\(number)"] = wire } }

    /// Ends the effect of ``expect(_:_:)``.
    func forget(_ number: Int) { waiting.withLock { _ = $0.removeValue(forKey: "\(number)") } }
}
