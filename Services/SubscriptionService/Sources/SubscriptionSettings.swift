internal import RequestServing
internal import ServiceRuntime

/// The settings of the subscription service, in addition to `HostSettings`.
struct SubscriptionSettings: SettingGroup {
    let healthPort = Setting.healthPort(default: 8103)
    let sweep = Setting(
        "subscription.sweep", .time(.seconds(1)...(.seconds(3600))), default: .seconds(2),
        "interval between searches for lost events")
    let prefetch = Setting(
        "subscription.prefetch", .integer(1...10_000), default: 200,
        "how many change events of a shard are held at a time")
    let heldBytes = Setting(
        "subscription.heldBytes", .integer(1 << 16...1 << 30, unit: "bytes"), default: 32 << 20,
        "total size of the change events held at a time")
    let workers = Setting("subscription.workers", .integer(1...64), default: 4, "requests executed concurrently")
    let courierURL = Setting(
        "courier.url", .url, default: "http://127.0.0.1:8080/courier",
        "address at which registered clients poll for notifications")
    let clientLife = Setting(
        "client.life", .time(.seconds(60)...(.days(30))), default: .seconds(43_200),
        "how long a registration is valid unless the client renews it")
    let clientMessages = Setting(
        "client.messages", .integer(1...1_000_000), default: 1000,
        "how many notifications can wait for a client before the oldest are dropped. Changes apply only to new queues"
    )
    let clientBytes = Setting(
        "client.bytes", .integer(1 << 16...1 << 30, unit: "bytes"), default: 8 << 20,
        "total size of the notifications that can wait for a client before the oldest are dropped. "
            + "Changes apply only to new queues"
    )
}
