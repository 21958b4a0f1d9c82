internal import AssetStorage
internal import CloudKitModel
internal import Metrics
internal import ServiceRuntime

/// The metrics of the asset service, in addition to those of its requests over AMQP. `deploy/docs/metrics.md` lists
/// them.
struct AssetMetrics: Sendable {
    /// The route and status of an HTTP request.
    struct HTTPOutcome: Hashable, Sendable {
        /// `upload`, `download` or `unknown`.
        var route: String
        var status: Int
    }

    /// An error in the response to an HTTP request.
    struct HTTPError: Hashable, Sendable {
        var route: String
        var code: ServerErrorCode
    }

    let httpRequests: LabelledHandles<HTTPOutcome, Counter>
    let httpErrors: LabelledHandles<HTTPError, Counter>
    /// The time from the head of a request to the head of its response, which includes the body of an upload but not of
    /// a download.
    let httpSeconds: LabelledHandles<String, Timer>
    let uploads: Counter
    let uploadedBytes: Counter
    let deduplicatedBytes: Counter
    let downloads: Counter
    let downloadedBytes: Counter
    let condemned: Counter
    let revived: Counter
    let deleted: Counter
    let deletionLateness: Timer
    let sweeps: Counter
    /// Verified blobs.
    let scrubbed: Counter
    let scrubbedBytes: Counter
    let quarantined: LabelledHandles<StoredBlob.Damage.Kind, Counter>
    let healed: Counter
    let straysRemoved: Counter
    let quarantinedBlobs: Meter
    let unverifiedSeconds: Meter
    let strays: Meter
    let jobsWaiting: Meter
    let jobsDue: Meter
    let jobsLate: Meter
    let blobs: Meter
    let blobBytes: Meter
    let blobsToEncrypt: Meter
    let storeFree: Meter

    /// Registers the metrics in `metrics`.
    init(_ metrics: ServiceMetrics) {
        for family in [Self.httpRequests, Self.httpErrors, Self.httpSeconds] { metrics.declare(family) }
        httpRequests = LabelledHandles {
            metrics.counter(Self.httpRequests, ["route": $0.route, "status": String($0.status)])
        }
        httpErrors = LabelledHandles {
            metrics.counter(Self.httpErrors, ["route": $0.route, "code": $0.code.rawValue])
        }
        httpSeconds = LabelledHandles { metrics.timer(Self.httpSeconds, ["route": $0]) }
        uploads = metrics.counter(Self.uploads)
        uploadedBytes = metrics.counter(Self.uploadedBytes)
        deduplicatedBytes = metrics.counter(Self.deduplicatedBytes)
        downloads = metrics.counter(Self.downloads)
        downloadedBytes = metrics.counter(Self.downloadedBytes)
        condemned = metrics.counter(Self.condemned)
        revived = metrics.counter(Self.revived)
        deleted = metrics.counter(Self.deleted)
        deletionLateness = metrics.timer(Self.deletionLateness)
        sweeps = metrics.counter(Self.sweeps)
        scrubbed = metrics.counter(Self.scrubbed)
        scrubbedBytes = metrics.counter(Self.scrubbedBytes)
        metrics.declare(Self.quarantined)
        quarantined = LabelledHandles { metrics.counter(Self.quarantined, ["damage": $0.rawValue]) }
        healed = metrics.counter(Self.healed)
        straysRemoved = metrics.counter(Self.straysRemoved)
        quarantinedBlobs = metrics.gauge(Self.quarantinedBlobs)
        unverifiedSeconds = metrics.gauge(Self.unverifiedSeconds)
        strays = metrics.gauge(Self.strays)
        jobsWaiting = metrics.gauge(Self.jobs, ["state": "waiting"])
        jobsDue = metrics.gauge(Self.jobs, ["state": "due"])
        jobsLate = metrics.gauge(Self.jobs, ["state": "late"])
        blobs = metrics.gauge(Self.blobs)
        blobBytes = metrics.gauge(Self.blobBytes)
        blobsToEncrypt = metrics.gauge(Self.blobsToEncrypt)
        storeFree = metrics.gauge(Self.storeFree)
    }
}

extension AssetMetrics {
    static let httpRequests = MetricFamily.counter("zonda_asset_http_requests_total", "HTTP requests.")
    static let httpErrors = MetricFamily.counter(
        "zonda_asset_http_errors_total", "Errors in the responses to HTTP requests, by serverErrorCode.")
    static let httpSeconds = MetricFamily.histogram(
        "zonda_asset_http_request_seconds",
        "Time from the head of an HTTP request to the head of its response, including the body of an upload "
            + "but not of a download.",
        buckets: .longTimes)
    static let uploads = MetricFamily.counter(
        "zonda_asset_uploads_total", "Uploads that were answered with a receipt.")
    static let uploadedBytes = MetricFamily.counter(
        "zonda_asset_uploaded_bytes_total", "Bytes of uploads that were answered with a receipt.")
    static let deduplicatedBytes = MetricFamily.counter(
        "zonda_asset_deduplicated_bytes_total", "Uploaded bytes of content that was already stored.")
    static let downloads = MetricFamily.counter("zonda_asset_downloads_total", "Downloads started.")
    static let downloadedBytes = MetricFamily.counter(
        "zonda_asset_downloaded_bytes_total", "Bytes sent in downloads.")
    static let condemned = MetricFamily.counter(
        "zonda_asset_condemned_total", "Blobs condemned because nothing refers to them.")
    static let revived = MetricFamily.counter(
        "zonda_asset_revived_total", "Condemned blobs that were uploaded or used again.")
    static let deleted = MetricFamily.counter("zonda_asset_deleted_total", "Blobs deleted.")
    static let deletionLateness = MetricFamily.histogram(
        "zonda_asset_deletion_late_seconds", "Time from a blob's due time to its deletion.", buckets: .longTimes)
    static let sweeps = MetricFamily.counter(
        "zonda_asset_sweeps_total", "Sweep rounds that this instance has run.")
    static let jobs = MetricFamily.gauge(
        "zonda_asset_deletion_jobs",
        "Condemned blobs by state: waiting for their due time, due, or late (due for so long that the deletion job "
            + "must have been lost).")
    static let scrubbed = MetricFamily.counter(
        "zonda_asset_scrubbed_total", "Blobs whose stored bytes were read again and found intact.")
    static let scrubbedBytes = MetricFamily.counter("zonda_asset_scrubbed_bytes_total", "Bytes read to verify blobs.")
    static let quarantined = MetricFamily.counter(
        "zonda_asset_quarantined_total", "Blobs found missing, corrupt or unreadable, which are no longer served.")
    static let healed = MetricFamily.counter(
        "zonda_asset_healed_total",
        "Lost or quarantined blobs that an upload replaced, or that were found intact again.")
    static let straysRemoved = MetricFamily.counter(
        "zonda_asset_stray_files_removed_total", "Files without a row that were removed.")
    static let quarantinedBlobs = MetricFamily.gauge("zonda_asset_quarantined_blobs", "Blobs in quarantine.")
    static let unverifiedSeconds = MetricFamily.gauge(
        "zonda_asset_unverified_seconds", "Time since the least recently verified blob was verified.")
    static let strays = MetricFamily.gauge(
        "zonda_asset_stray_files",
        "Files without a row that were seen once and will be removed if they are seen again.")
    static let blobs = MetricFamily.gauge("zonda_asset_blobs", "Stored blobs, including condemned ones.")
    static let blobBytes = MetricFamily.gauge("zonda_asset_blob_bytes", "Total size of the stored blobs, in bytes.")
    static let storeFree = MetricFamily.gauge(
        "zonda_asset_store_free_bytes", "Free space on the blobs' disk; NaN if the store does not report it.")
    static let blobsToEncrypt = MetricFamily.gauge(
        "zonda_asset_blobs_to_encrypt",
        "Blobs that are not yet encrypted with the first master key; 0 without encryption.")
}
