internal import RequestServing
internal import ServiceRuntime

/// The settings of the subscription service, beside `HostSettings`.
struct SubscriptionSettings: SettingGroup {
    let healthPort = Setting.healthPort(default: 8103)
    let sweep = Setting(
        "subscription.sweep", .time(.seconds(1)...(.seconds(3600))), default: .seconds(2),
        "between two looks for lost events")
    let prefetch = Setting(
        "subscription.prefetch", .integer(1...10_000), default: 200, "change events of a shard held at once")
    let heldBytes = Setting(
        "subscription.heldBytes", .integer(1 << 16...1 << 30, unit: "bytes"), default: 32 << 20,
        "bodies of change events held at once")
    let workers = Setting("subscription.workers", .integer(1...64), default: 4, "requests executed at once")
}
