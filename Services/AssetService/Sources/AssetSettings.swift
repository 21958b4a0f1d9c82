internal import CloudKitModel
internal import RequestServing
internal import ServiceRuntime

/// The settings of the asset service, beside `HostSettings`.
struct AssetSettings: SettingGroup {
    let healthPort = Setting.healthPort(default: 8102)
    let directory = Setting(
        optional: "asset.directory", .path, absence: "required without `asset.s3.bucket`",
        "the folder of the blobs; several instances need a shared volume")
    let httpHost = Setting("http.host", .text, default: "127.0.0.1", "where uploads and downloads are served")
    let httpPort = Setting("http.port", .port, default: 8202, "the port of uploads and downloads")
    let publicURL = Setting(
        optional: "asset.url", .url, absence: "`http://127.0.0.1:` and the port",
        "how clients reach that: the beginning of upload URLs")
    let maxBytes = Setting(
        "asset.maxBytes", .integer(1...1 << 40, unit: "bytes"), default: Limits().maxAssetBytes, "an asset")
    let uploadLife = Setting(
        "asset.uploadLife", .time(.seconds(1)...(.days(365))), default: .seconds(3600),
        "how long an upload URL is good")
    let receiptLife = Setting(
        "asset.receiptLife", .time(.seconds(1)...(.days(365))), default: .days(1),
        "how long a receipt is good: until then unused bytes are safe")
    let grace = Setting(
        "asset.grace", .time(.seconds(1)...(.days(49))), default: .days(7),
        "between the last use's end and the deletion (the broker's timers end at 49 days)")
    let sweep = Setting(
        "asset.sweep", .time(.seconds(1)...(.days(1))), default: .seconds(600), "between two sweeps")
    let recordRole = Setting(
        optional: "record.role", .postgresName, "the database role of the record service, which may refer to blobs")
}
