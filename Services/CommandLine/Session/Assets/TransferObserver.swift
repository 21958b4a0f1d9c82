/// Observes transfers, so that a load test can stop when none of them is making progress. Its methods may be called on
/// any thread.
package protocol TransferObserver: Sendable {
    /// Called when bytes have been sent or received, or when a request has been answered.
    func noteProgress()

    /// Counts a request as outstanding until `work` returns or throws.
    ///
    /// - Throws: any error that `work` throws.
    func observing<Value>(
        _ work: () async throws(RequestFailure) -> Value
    ) async throws(RequestFailure) -> Value
}
