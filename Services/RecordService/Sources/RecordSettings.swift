internal import RequestServing
internal import ServiceRuntime

/// The settings of the record service, beside `HostSettings`.
struct RecordSettings: SettingGroup {
    let healthPort = Setting.healthPort(default: 8101)
    let createContainers = Setting(
        "create.containers", .flag, default: false, "whether a container is made on first use")
    let lanes = Setting("record.lanes", .integer(1...64), default: 4, "write transactions at once")
    let readers = Setting("record.readers", .integer(1...64), default: 4, "reads at once")
    let queries = Setting("record.queries", .integer(1...64), default: 4, "queries at once")
    let queryTimeout = Setting(
        "query.timeout", .time(.milliseconds(10)...(.seconds(600))), default: .seconds(5),
        "how long a statement of a query may run, and records of one request be decided in memory")
    let prefetch = Setting("record.prefetch", .integer(1...10_000), default: 1000, "write requests held at once")
    let heldBytes = Setting(
        "record.heldBytes", .integer(1 << 16...1 << 30, unit: "bytes"), default: 16 << 20,
        "bodies of write requests held at once")
    let directoryBytes = Setting(
        "record.directoryBytes", .integer(1 << 16...1 << 32, unit: "bytes"), default: 128 << 20,
        "remembered zones and databases, at most and about; one takes some 500 bytes")
    let strictReferences = Setting(
        "record.strictReferences", .flag, default: false,
        "whether the target of a `DELETE_SELF` reference has to be there when it is saved, also from native clients")
    let assetURL = Setting(
        optional: "asset.url", .url,
        "the asset service's public address; without it records come without `downloadURL`")
    let downloadLife = Setting(
        "asset.downloadLife", .time(.seconds(1)...(.days(7))), default: .seconds(3600),
        "how long a `downloadURL` is good")
    let retention = Setting(
        "record.retention", .time(.seconds(1)...(.days(3650))), default: .days(180),
        "how long deletions of records and zones can be told: older sync tokens expire once they are purged")
    let faults = Setting("faults", .flag, default: false, "tests only: messages may ask for failures")
}
