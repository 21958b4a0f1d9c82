internal import AsyncHTTPClient
internal import NIOCore
internal import NIOHTTP1

/// The download of an asset's content. It continues after an interruption, and verifies the checksum.
struct AssetDownload: Sendable {
    /// How long an interrupted download is continued without progress.
    static let maxStandstill: Duration = .seconds(60)

    /// The address, which expires some time after the record was fetched.
    let url: String
    /// The checksum that the record names.
    let checksum: String
    /// The size in bytes that the record names.
    let size: Int64
    let connection: WebConnection

    private struct Progress {
        var offset: Int64 = 0
        var digest = ContentDigest()
    }

    /// Downloads the content into a file.
    ///
    /// - Throws: ``CKError/Code/assetNotAvailable`` if the content no longer exists, the address has expired, or the
    ///   content is not the one that the record names; a network error.
    func fill(_ draft: AssetDraft) async throws(CKError) {
        let position = TransferPosition()
        var progress = Progress()
        try await connection.transferring(position, standstill: Self.maxStandstill) {
            () async throws(WebConnection.Attempt) in
            try await attempt(draft, &progress, position)
        }
        guard progress.offset == size, !ContentDigest.isVerifiable(checksum) || progress.digest.fileChecksum == checksum
        else { throw CKError(.assetNotAvailable, "The downloaded asset is not the one that the record names.") }
    }

    private func attempt(
        _ draft: AssetDraft, _ progress: inout Progress, _ position: TransferPosition
    ) async throws(WebConnection.Attempt) {
        var request = HTTPClientRequest(url: url)
        // A download whose bytes have all arrived before the connection was lost needs no further request.
        guard progress.offset < size || size == 0 else { return }
        if progress.offset > 0 { request.headers.add(name: "range", value: "bytes=\(progress.offset)-") }
        var state = progress
        defer { progress = state }
        let answer = try await connection.exchange(request, isWrite: false) { response in
            // A server that does not continue sends everything again.
            if response.status == .ok { state = Progress() }
            for try await buffer in response.body {
                guard state.offset + Int64(buffer.readableBytes) <= size else {
                    throw CKError(.assetNotAvailable, "The downloaded asset is larger than the record names.")
                }
                try await draft.write(buffer, at: state.offset)
                state.digest.update(buffer)
                state.offset += Int64(buffer.readableBytes)
                position.reached(state.offset)
            }
        }
        guard answer.status == 200 || answer.status == 206 else { throw WebConnection.Attempt(error: failure(answer)) }
    }

    /// A busy server is asked again. Any other error says that the content cannot be had at this address.
    private func failure(_ answer: WebConnection.RawAnswer) -> CKError {
        let error = answer.error
        switch error.code {
        case .serviceUnavailable, .requestRateLimited, .zoneBusy: return error
        default:
            return CKError(
                .assetNotAvailable,
                "The asset cannot be downloaded. Fetch its record again. \(error.localizedDescription)",
                underlying: error)
        }
    }
}
