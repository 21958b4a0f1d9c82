internal import Foundation

/// The serial queue on which an operation calls the application's functions, which may block. The threads of tasks must
/// not.
final class CallbackQueue: Sendable {
    private let queue: DispatchQueue

    init(_ name: String) { queue = DispatchQueue(label: "CloudKit.\(name)") }

    /// Calls a function after those that were posted before.
    func post(_ function: @escaping @Sendable () -> Void) { queue.async(execute: function) }

    /// Waits until all functions that were posted before have returned.
    func drain() async {
        await withCheckedContinuation { continuation in
            queue.async { continuation.resume() }
        }
    }
}
