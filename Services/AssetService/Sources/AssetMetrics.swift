internal import ServiceRuntime

/// What the asset service counts, beside its requests.
extension ServiceMetrics.Series {
    /// Requests over HTTP.
    static func assetHTTPRequests(route: String, status: Int) -> Self {
        Self("zonda_asset_http_requests_total", ["route": route, "status": String(status)])
    }
    /// Uploads that were answered with a receipt.
    static let assetUploads = Self("zonda_asset_uploads_total")
    /// Their bytes.
    static let assetUploadedBytes = Self("zonda_asset_uploaded_bytes_total")
    /// Of these, the bytes of content that was there already.
    static let assetDeduplicatedBytes = Self("zonda_asset_deduplicated_bytes_total")
    /// Downloads that began.
    static let assetDownloads = Self("zonda_asset_downloads_total")
    /// Bytes of them that were sent.
    static let assetDownloadedBytes = Self("zonda_asset_downloaded_bytes_total")
    /// Blobs condemned.
    static let assetsCondemned = Self("zonda_asset_condemned_total")
    /// Condemned blobs that were uploaded or used again.
    static let assetsRevived = Self("zonda_asset_revived_total")
    /// Blobs deleted.
    static let assetsDeleted = Self("zonda_asset_deleted_total")
    /// Rounds of the sweep at this instance.
    static let assetSweeps = Self("zonda_asset_sweeps_total")
}
