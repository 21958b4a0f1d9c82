internal import ServiceRuntime

/// The settings of notifications over HTTP.
struct CourierSettings: SettingGroup {
    let wait = Setting(
        "courier.wait", .time(.seconds(1)...(.seconds(600))), default: .seconds(50),
        "how long a poll waits for a notification before it is answered `null`")
    let heartbeat = Setting(
        "courier.heartbeat", .time(.seconds(1)...(.seconds(600))), default: .seconds(15),
        "between two heartbeats on a stream without events")
    let resume = Setting(
        "courier.resume", .time(.seconds(1)...(.seconds(600))), default: .seconds(10),
        "how long an event that was sent is kept for a client that reconnects without having received it")
    let maxPolls = Setting(
        "courier.maxPolls", .integer(1...100_000), default: 10_000, "polls and streams of events at once")
    let maxPollsPerClient = Setting(
        "courier.maxPollsPerClient", .integer(1...1000), default: 10, "polls and streams of one registered client at once")

    /// Their values.
    func configuration(_ values: SettingValues) -> CourierConfiguration {
        CourierConfiguration(
            wait: values[wait], heartbeat: values[heartbeat], resume: values[resume], maxPolls: values[maxPolls],
            maxPollsPerClient: values[maxPollsPerClient])
    }
}

/// The values of ``CourierSettings``.
package struct CourierConfiguration: Sendable {
    /// How long a poll waits for a notification.
    var wait: Duration
    /// Between two heartbeats on a stream.
    var heartbeat: Duration
    /// How long an event is kept after it was sent.
    var resume: Duration
    /// Polls and streams at once.
    var maxPolls: Int
    /// Polls and streams of one client.
    var maxPollsPerClient: Int
}
