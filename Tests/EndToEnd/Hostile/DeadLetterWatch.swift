import ServiceMessages
import Synchronization
import TestSupport

/// Empties `dead-letters` and tells each hostile request that ends there why. A request is known by a header of the
/// harness's own.
final class DeadLetterWatch: Sendable {
    /// The header that says which case a message is.
    static let mark = "hostile-case"

    private let waiting = Mutex<[String: BrokerWire]>([:])

    /// Until cancelled.
    ///
    /// - Throws: ``TestFailure`` when the broker ends the connection.
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

    /// Has dead letters of a case noted on `wire`.
    func expect(_ number: Int, _ wire: BrokerWire) { waiting.withLock { $0["\(number)"] = wire } }

    /// The opposite of ``expect(_:_:)``.
    func forget(_ number: Int) { waiting.withLock { _ = $0.removeValue(forKey: "\(number)") } }
}
