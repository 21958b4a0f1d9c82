internal import ServiceRuntime

/// The settings for notifications over HTTP.
struct CourierSettings: SettingGroup {
    let wait = Setting(
        "courier.wait", .time(.seconds(1)...(.seconds(600))), default: .seconds(50),
        "maximum time that a poll waits for a notification; it is then answered with `null`")
    let heartbeat = Setting(
        "courier.heartbeat", .time(.seconds(1)...(.seconds(600))), default: .seconds(15),
        "time between two heartbeats on a stream without events")
    let resume = Setting(
        "courier.resume", .time(.seconds(1)...(.seconds(600))), default: .seconds(10),
        "how long a sent event is kept, in case the client reconnects without having received it")
    let maxPolls = Setting(
        "courier.maxPolls", .integer(1...100_000), default: 10_000,
        "maximum number of concurrent polls and event streams")
    let maxPollsPerClient = Setting(
        "courier.maxPollsPerClient", .integer(1...1000), default: 10,
        "maximum number of concurrent polls and event streams per registered client")

    /// Returns the values of the settings.
    func configuration(_ values: SettingValues) -> CourierConfiguration {
        CourierConfiguration(
            wait: values[wait], heartbeat: values[heartbeat], resume: values[resume], maxPolls: values[maxPolls],
            maxPollsPerClient: values[maxPollsPerClient])
    }
}

/// The values of ``CourierSettings``.
package struct CourierConfiguration: Sendable {
    /// The maximum time that a poll waits for a notification.
    var wait: Duration
    /// The time between heartbeats on a stream.
    var heartbeat: Duration
    /// How long an event is kept after it has been sent.
    var resume: Duration
    /// The maximum number of concurrent polls and streams.
    var maxPolls: Int
    /// The maximum number of concurrent polls and streams per client.
    var maxPollsPerClient: Int
}
