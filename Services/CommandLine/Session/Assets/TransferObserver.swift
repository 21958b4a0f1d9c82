/// Observes transfers, so that a load can stop when none of them makes progress. Its methods may be called on any
/// thread.
package protocol TransferObserver: Sendable {
    /// Called when bytes were sent or received, or a request was answered.
    func noteProgress()

    /// Counts a request as outstanding until `work` returns or throws.
    ///
    /// - Throws: the errors of `work`.
    func observing<Value>(
        _ work: () async throws(RequestFailure) -> Value
    ) async throws(RequestFailure) -> Value
}
