/// Follows transfers, so that a load can stop when none of them makes progress. Any thread.
package protocol TransferObserver: Sendable {
    /// Bytes were sent or received, or a request was answered.
    func noteProgress()

    /// Counts a request as outstanding until `work` returns or throws.
    ///
    /// - Throws: what `work` throws.
    func observing<Value>(
        _ work: () async throws(RequestFailure) -> Value
    ) async throws(RequestFailure) -> Value
}
