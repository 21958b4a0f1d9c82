import CommandLineSession
import ServiceMessages

/// Downloads a record's asset and verifies its bytes.
struct AssetReader: Sendable {
    /// Requests the records.
    let requester: any Requester
    /// Transfers the bytes.
    let transfer: AssetTransfer
    /// The time limit of each request and transfer.
    let limit: Duration

    /// The result of reading a record.
    enum Finding: Sendable {
        /// The record is valid; the value is the number of downloaded bytes.
        case good(bytes: Int64)
        /// The record or its bytes should exist but do not.
        case missing
        /// The content of the record is not valid, or its bytes differ.
        case wrong
    }

    /// Looks up a record, compares it with `expectation`, and downloads and hashes its bytes.
    ///
    /// - Throws: a failure that does not allow a verdict on the record.
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
    /// Whether a failure means that a record, its asset or the asset's bytes do not exist.
    var saysNotThere: Bool {
        switch self {
        case .refused(let refusal): refusal.code == "NOT_FOUND" || refusal.saysBytesAreGone
        case .local(let fault, _): fault == .noAsset
        case .unanswered: false
        }
    }
}
