extension CKContainer {
    /// Fetches what is known about the shares of some links.
    @preconcurrency
    public func fetchShareMetadatas(
        for urls: [URL],
        completionHandler: @escaping @Sendable (Result<[URL: Result<CKShare.Metadata, any Error>], any Error>) -> Void
    ) {
        answer({ try await $0.shareMetadatas(for: urls) }, to: completionHandler)
    }

    /// Fetches what is known about the shares of some links.
    public func shareMetadatas(for urls: [URL]) async throws -> [URL: Result<CKShare.Metadata, any Error>] {
        let results = Locked<[URL: Result<CKShare.Metadata, any Error>]>([:])
        let operation = CKFetchShareMetadataOperation(shareURLs: urls)
        operation.perShareMetadataResultBlock = { url, result in results.withLock { $0[url] = result } }
        try await run(operation) { $0.fetchShareMetadataResultBlock = $1 }
        return results.copy
    }

    /// Fetches what is known about the share of a link.
    @preconcurrency
    public func fetchShareMetadata(
        with url: URL, completionHandler: @escaping @Sendable (CKShare.Metadata?, (any Error)?) -> Void
    ) {
        answer({ try await $0.shareMetadata(for: url) }, to: completionHandler)
    }

    /// Fetches what is known about the share of a link.
    public func shareMetadata(for url: URL) async throws -> CKShare.Metadata {
        guard let result = try await shareMetadatas(for: [url])[url] else {
            throw CKError.unexpectedAnswer("it has no result for the link")
        }
        return try result.get()
    }

    /// Accepts shares.
    @preconcurrency
    public func accept(
        _ metadatas: [CKShare.Metadata],
        completionHandler:
            @escaping @Sendable (Result<[CKShare.Metadata: Result<CKShare, any Error>], any Error>) -> Void
    ) {
        answer({ try await $0.accept(metadatas) }, to: completionHandler)
    }

    /// Accepts shares.
    public func accept(
        _ metadatas: [CKShare.Metadata]
    ) async throws -> [CKShare.Metadata: Result<CKShare, any Error>] {
        let results = Locked<[CKShare.Metadata: Result<CKShare, any Error>]>([:])
        let operation = CKAcceptSharesOperation(shareMetadatas: metadatas)
        operation.perShareResultBlock = { metadata, result in results.withLock { $0[metadata] = result } }
        try await run(operation) { $0.acceptSharesResultBlock = $1 }
        return results.copy
    }

    /// Accepts a share.
    @preconcurrency
    public func accept(
        _ metadata: CKShare.Metadata, completionHandler: @escaping @Sendable (CKShare?, (any Error)?) -> Void
    ) {
        answer({ try await $0.accept(metadata) }, to: completionHandler)
    }

    /// Accepts a share.
    @discardableResult
    public func accept(_ metadata: CKShare.Metadata) async throws -> CKShare {
        guard let result = try await accept([metadata])[metadata] else {
            throw CKError.unexpectedAnswer("it has no result for the share")
        }
        return try result.get()
    }

    /// Asks the owners of shares for access.
    public func requestShareAccess(for urls: [URL]) async throws -> [URL: Result<Void, any Error>] {
        let results = Locked<[URL: Result<Void, any Error>]>([:])
        let operation = CKShareRequestAccessOperation(shareURLs: urls)
        operation.perShareAccessRequestResultBlock = { url, result in results.withLock { $0[url] = result } }
        try await run(operation) { $0.shareAccessRequestResultBlock = $1 }
        return results.copy
    }
}
