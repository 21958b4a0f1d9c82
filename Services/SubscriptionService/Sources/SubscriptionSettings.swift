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
    let courierURL = Setting(
        "courier.url", .url, default: "http://127.0.0.1:8080/courier",
        "where registered clients poll for notifications, as they see it")
    let clientLife = Setting(
        "client.life", .time(.seconds(60)...(.days(30))), default: .seconds(43_200),
        "how long a client stays registered unless it registers again")
    let clientMessages = Setting(
        "client.messages", .integer(1...1_000_000), default: 1000,
        "notifications that wait for a client; past them the oldest are dropped. Holds for queues made afterwards")
    let clientBytes = Setting(
        "client.bytes", .integer(1 << 16...1 << 30, unit: "bytes"), default: 8 << 20,
        "bodies of notifications that wait for a client, likewise")
}
