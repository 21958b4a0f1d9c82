internal import RequestServing
internal import ServiceRuntime

/// The settings of ``RateLimits``.
struct RateSettings: SettingGroup {
    let addressRate = Setting(
        "rate.address.perSecond", .integer(0...1_000_000, unit: "per second"), default: 1000,
        "maximum rate of requests to this instance from one client address; 0 disables the limit")
    let addressBurst = Setting(
        "rate.address.burst", .integer(1...1_000_000), default: 5000, "maximum burst of requests from one address")
    let tokenRate = Setting(
        "rate.token.perSecond", .integer(0...1_000_000, unit: "per second"), default: 0,
        "maximum rate of requests to this instance with one API token; 0 disables the limit")
    let tokenBurst = Setting(
        optional: "rate.token.burst", .integer(1...1_000_000), absence: "the rate",
        "maximum burst of requests with one API token")
    let userRate = Setting(
        "rate.user.perSecond", .integer(0...1_000_000, unit: "per second"), default: 0,
        "maximum rate of requests to this instance from one user or server-to-server key for one container; "
            + "0 disables the limit")
    let userBurst = Setting(
        optional: "rate.user.burst", .integer(1...1_000_000), absence: "the rate",
        "maximum burst of requests from one user or server-to-server key")

    /// Returns the values of the settings.
    func rates(_ values: SettingValues) -> RateLimits.Rates {
        func rate(_ perSecond: Int, burst: Int?) -> TokenBucket.Rate? {
            perSecond > 0 ? TokenBucket.Rate(perSecond: perSecond, burst: burst ?? perSecond) : nil
        }
        return RateLimits.Rates(
            token: rate(values[tokenRate], burst: values[tokenBurst]),
            user: rate(values[userRate], burst: values[userBurst]),
            address: rate(values[addressRate], burst: values[addressBurst]))
    }
}
