internal import ServiceRuntime

/// The rate limit settings, common to all services.
struct ThrottleSettings: SettingGroup {
    let containerRate = Setting(
        "throttle.container.rate", .integer(0...1_000_000, unit: "per second"), default: 0,
        "requests of a container to this instance; 0: any number")
    let containerBurst = Setting(
        optional: "throttle.container.burst", .integer(1...1_000_000), absence: "the rate",
        "requests of a container that may arrive at once after a pause")
    let userRate = Setting(
        "throttle.user.rate", .integer(0...1_000_000, unit: "per second"), default: 0,
        "requests of a user in a container to this instance; 0: any number")
    let userBurst = Setting(
        optional: "throttle.user.burst", .integer(1...1_000_000), absence: "the rate",
        "requests of a user that may arrive at once after a pause")

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
