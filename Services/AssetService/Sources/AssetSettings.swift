internal import BlobStorage
internal import CloudKitModel
internal import RequestServing
internal import ServiceRuntime

/// The settings of the asset service, in addition to `HostSettings`.
struct AssetSettings: SettingGroup {
    let healthPort = Setting.healthPort(default: 8102)
    let directory = Setting(
        optional: "asset.directory", .path, absence: "required without `asset.s3.bucket`",
        "the folder for the blobs; several instances need a shared volume")
    let minFree = Setting(
        "asset.minFree", .integer(0...1 << 50, unit: "bytes"), default: 256 << 20,
        "the minimum free space on the folder's disk; below it, no upload begins and the service is not ready")
    let httpHost = Setting(
        "http.host", .text, default: "127.0.0.1", "the address on which uploads and downloads are served")
    let httpPort = Setting("http.port", .port, default: 8202, "the port for uploads and downloads")
    let publicURL = Setting(
        optional: "asset.url", .url, absence: "`http://127.0.0.1:` and the port",
        "the address at which clients reach this service; upload URLs begin with it")
    let maxBytes = Setting(
        "asset.maxBytes", .integer(1...1 << 40, unit: "bytes"), default: Limits().maxAssetBytes,
        "the maximum size of an asset")
    let uploadLife = Setting(
        "asset.uploadLife", .time(.seconds(1)...(.days(365))), default: .seconds(3600),
        "how long an upload URL is valid")
    let resumeLife = Setting(
        "asset.resumeLife", .time(.seconds(1)...(.days(7))), default: .seconds(3600),
        "how long an interrupted upload can be resumed")
    let maxResumable = Setting(
        "asset.maxResumable", .integer(0...100_000), default: 1000,
        "how many uploads can wait to be resumed; each can be as large as `asset.maxBytes`")
    let maxResumablePerUser = Setting(
        "asset.maxResumablePerUser", .integer(0...100_000), default: 50,
        "how many waiting uploads can belong to one user's private database, or to one container's public database")
    let receiptLife = Setting(
        "asset.receiptLife", .time(.seconds(1)...(.days(365))), default: .days(1),
        "how long a receipt is valid and keeps its bytes from being deleted")
    let grace = Setting(
        "asset.grace", .time(.seconds(1)...(.days(49))), default: .days(7),
        "the time between the end of a blob's last use and its deletion (the broker's timers are limited to 49 days)")
    let sweep = Setting(
        "asset.sweep", .time(.seconds(1)...(.days(1))), default: .seconds(600), "the time between two sweeps")
    let sweepLimit = Setting(
        "asset.sweepLimit", .integer(500...10_000_000), default: 20_000,
        "the maximum number of blobs or files in each part of a sweep; the next sweep continues where this one stopped")
    let maxStrayPercent = Setting(
        "asset.maxStrayPercent", .integer(0...100, unit: "percent"), default: 1,
        "if more than 100 files and more than this share of all files have no row, none is removed; 100 for no limit"
    )
    let encryptionKeysFile = Setting(
        optional: "asset.encryptionKeysFile", .encryptionKeysFile, absence: "none: blobs are stored unencrypted",
        "the file of master keys for blobs, one `id:base64 of 32 bytes` per line; the first key encrypts new blobs")
    let encryptionRate = Setting(
        "asset.encryptionRate", .integer(65_536...1 << 40, unit: "bytes per second"), default: 32 << 20,
        "the rate at which stored blobs are encrypted with the first master key after it has changed")
    let userQuota = Setting(
        optional: "asset.userQuota", .integer(0...1 << 60, unit: "bytes"), "the quota of each user's private database")
    let containerQuota = Setting(
        optional: "asset.containerQuota", .integer(0...1 << 60, unit: "bytes"), "the quota of each container")
    let scrubRate = Setting(
        "asset.scrubRate", .integer(0...1 << 40, unit: "bytes per second"), default: 4 << 20,
        "the rate at which each instance verifies stored bytes; 0 for no verification")
    let scrubInterval = Setting(
        "asset.scrubInterval", .time(.seconds(1)...(.days(3650))), default: .days(30),
        "how often the bytes of each asset are verified")
    let recordRole = Setting(
        optional: "record.role", .postgresName, "the database role of the record service, which may refer to blobs")
}
