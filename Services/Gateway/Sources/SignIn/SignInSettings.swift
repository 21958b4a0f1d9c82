internal import RequestServing
internal import ServiceRuntime

/// The settings of the sign-in pages.
struct SignInSettings: SettingGroup {
    let addressRate = Setting(
        "signIn.addressRate", .integer(1...100_000, unit: "per minute"), default: 30,
        "passwords tried from one address (of IPv6, one /64 network) at one instance")
    let emailRate = Setting(
        "signIn.emailRate", .integer(1...100_000, unit: "per minute"), default: 5,
        "passwords tried for one e-mail address at one instance, wherever from")
    let burst = Setting(
        "signIn.burst", .integer(1...10_000), default: 10, "passwords tried at once, after a rest, of either")
    let checks = Setting(
        "signIn.checks", .integer(1...256), default: 2,
        "passwords checked at once, each on a thread of its own")
    let passwordCost = Setting(
        "signIn.passwordCost", .integer(10...20), default: PasswordHash.usualCost,
        "what checking a new password costs: scrypt's N is 2 to this power, with r 8 and p 3; 15 is 32 MiB and a quarter of "
            + "a second, one more is twice of both")

    /// What they say.
    func configuration(_ values: SettingValues) -> SignInConfiguration {
        SignInConfiguration(
            addressRate: TokenBucket.Rate(perMinute: values[addressRate], burst: values[burst]),
            emailRate: TokenBucket.Rate(perMinute: values[emailRate], burst: values[burst]),
            maxChecks: values[checks], passwordCost: values[passwordCost])
    }
}

/// What ``SignInSettings`` say.
struct SignInConfiguration: Hashable, Sendable {
    /// Passwords tried from one address.
    var addressRate = TokenBucket.Rate(perMinute: 30, burst: 10)
    /// Passwords tried for one e-mail address.
    var emailRate = TokenBucket.Rate(perMinute: 5, burst: 10)
    /// Passwords checked at once.
    var maxChecks = 2
    /// What the hash of a new password costs.
    var passwordCost = PasswordHash.usualCost
}
