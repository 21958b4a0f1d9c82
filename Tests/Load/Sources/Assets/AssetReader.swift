import CommandLineSession
import ServiceMessages

/// Fetches a record's asset and compares its bytes.
struct AssetReader: Sendable {
    /// Whom to ask for the record.
    let requester: any Requester
    /// Over what to fetch.
    let transfer: AssetTransfer
    /// How long each may take.
    let limit: Duration

    /// What became of it.
    enum Finding: Sendable {
        /// The record is as it may be; so many bytes were fetched.
        case good(bytes: Int64)
        /// The record or its bytes should be there.
        case missing
        /// The record holds something else, or the bytes are others.
        case wrong
    }

    /// Looks up a record, judges it, and fetches and hashes its bytes.
    ///
    /// - Throws: a failure that says nothing about the record.
    func read(
        _ place: AssetPlace, _ expectation: AssetLedger.Expectation
    ) async throws(RequestFailure) -> Finding {
        let asset: AssetValue?
        do {
            asset = try await requester.asset(at: place, limit: limit)
        } catch {
            guard error.saysNotThere else { throw error }
            asset = nil
        }
        switch expectation.verdict(found: asset?.checksum) {
        case .missing: return .missing
        case .wrong: return .wrong
        case .good: break
        }
        guard let asset else { return .good(bytes: 0) }
        do {
            try await requester.download(asset, over: transfer, limit: limit) { _, _ in }
            return .good(bytes: asset.size)
        } catch {
            if error.saysNotThere { return .missing }
            if case .local(.checksumMismatch, _) = error { return .wrong }
            throw error
        }
    }
}

extension RequestFailure {
    /// Whether a record, its asset or the asset's bytes are not there.
    var saysNotThere: Bool {
        switch self {
        case .refused(let refusal): refusal.code == "NOT_FOUND" || refusal.saysBytesAreGone
        case .local(let fault, _): fault == .noAsset
        case .unanswered: false
        }
    }
}
