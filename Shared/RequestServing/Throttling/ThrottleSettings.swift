internal import ServiceRuntime

/// The settings for rate limits, which all services have.
struct ThrottleSettings: SettingGroup {
    let containerRate = Setting(
        "throttle.container.rate", .integer(0...1_000_000, unit: "per second"), default: 0,
        "the maximum rate of requests to this instance for one container; 0 means no limit")
    let containerBurst = Setting(
        optional: "throttle.container.burst", .integer(1...1_000_000), absence: "the rate",
        "the maximum number of requests that may arrive for one container at the same time after a pause")
    let userRate = Setting(
        "throttle.user.rate", .integer(0...1_000_000, unit: "per second"), default: 0,
        "the maximum rate of requests to this instance from one user for one container; 0 means no limit")
    let userBurst = Setting(
        optional: "throttle.user.burst", .integer(1...1_000_000), absence: "the rate",
        "the maximum number of requests that may arrive from one user at the same time after a pause")

    /// Returns the configuration that the settings describe.
    func configuration(_ values: SettingValues) -> ThrottleConfiguration {
        func rate(_ rate: Setting<Int>, _ burst: Setting<Int?>) -> TokenBucket.Rate? {
            let perSecond = values[rate]
            return perSecond > 0 ? TokenBucket.Rate(perSecond: perSecond, burst: values[burst] ?? perSecond) : nil
        }
        return ThrottleConfiguration(
            container: rate(containerRate, containerBurst), user: rate(userRate, userBurst))
    }
}
