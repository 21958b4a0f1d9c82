internal import RequestServing
internal import ServiceRuntime

/// The settings of the record service, in addition to `HostSettings`.
struct RecordSettings: SettingGroup {
    let healthPort = Setting.healthPort(default: 8101)
    let createContainers = Setting(
        "create.containers", .flag, default: false, "whether a container is created on first use")
    let lanes = Setting("record.lanes", .integer(1...64), default: 4, "concurrent write transactions")
    let readers = Setting("record.readers", .integer(1...64), default: 4, "concurrent reads")
    let queries = Setting("record.queries", .integer(1...64), default: 4, "concurrent queries")
    let queryTimeout = Setting(
        "query.timeout", .time(.milliseconds(10)...(.seconds(600))), default: .seconds(5),
        "how long a query statement may run, and how long one request may spend evaluating records in memory")
    let prefetch = Setting(
        "record.prefetch", .integer(1...10_000), default: 1000,
        "maximum number of write requests held at the same time")
    let heldBytes = Setting(
        "record.heldBytes", .integer(1 << 16...1 << 30, unit: "bytes"), default: 16 << 20,
        "maximum total size of the bodies of held write requests")
    let directoryBytes = Setting(
        "record.directoryBytes", .integer(1 << 16...1 << 32, unit: "bytes"), default: 128 << 20,
        "approximate maximum size of all cached zones and databases; each takes about 500 bytes")
    let strictReferences = Setting(
        "record.strictReferences", .flag, default: false,
        "whether the target of a saved `DELETE_SELF` reference must exist even for native clients")
    let assetURL = Setting(
        optional: "asset.url", .url,
        "the asset service's public address; without it, records have no `downloadURL`")
    let downloadLife = Setting(
        "asset.downloadLife", .time(.seconds(1)...(.days(7))), default: .seconds(3600),
        "how long a `downloadURL` is valid")
    let retention = Setting(
        "record.retention", .time(.seconds(1)...(.days(3650))), default: .days(180),
        "how long deletions of records and zones are kept; a sync token that needs a purged deletion expires")
    let faults = Setting("faults", .flag, default: false, "whether messages may inject faults; for tests only")
}
