internal import GatewayStorage
internal import RequestServing
internal import ServiceRuntime

/// The settings of the sign-in pages.
struct SignInSettings: SettingGroup {
    let addressRate = Setting(
        "signIn.addressRate", .integer(1...100_000, unit: "per minute"), default: 30,
        "maximum rate of wrong passwords from one address (for IPv6, one /64 network) at one instance")
    let emailRate = Setting(
        "signIn.emailRate", .integer(1...100_000, unit: "per minute"), default: 5,
        "maximum rate of wrong passwords for one email address at one instance, from one /24 network (for IPv6, /64) or from one known browser"
    )
    let accountRate = Setting(
        "signIn.accountRate", .integer(1...100_000, unit: "per minute"), default: 60,
        "maximum rate of wrong passwords for one email address at one instance, from all unknown browsers")
    let burst = Setting(
        "signIn.burst", .integer(1...10_000), default: 10,
        "maximum burst of wrong passwords; ten times as many for `signIn.accountRate`")
    let checks = Setting(
        "signIn.checks", .integer(1...256), default: 2,
        "number of passwords that are checked concurrently, each on its own thread")
    let passwordCost = Setting(
        "signIn.passwordCost", .integer(10...20), default: PasswordHash.usualCost,
        "cost of hashing a new password: scrypt's N is 2 to this power, with r = 8 and p = 3; 15 takes 32 MiB and a "
            + "quarter of a second; each step doubles both")

    let sessionLife = Setting(
        "signIn.sessionLife", .time(.seconds(3600)...(.days(3650))), default: .days(90),
        "maximum lifetime of a session whose user chose to stay signed in, even if it is in use")
    let briefSessionLife = Setting(
        "signIn.briefSessionLife", .time(.seconds(60)...(.days(365))), default: .seconds(12 * 3600),
        "maximum lifetime of any other session")
    let maxSessions = Setting(
        "signIn.maxSessions", .integer(1...1000), default: 1000,
        "maximum number of sessions per account, across all containers; any additional session ends the least recently "
            + "used one")

    /// Returns the values of the settings.
    func configuration(_ values: SettingValues) -> SignInConfiguration {
        SignInConfiguration(
            addressRate: TokenBucket.Rate(perMinute: values[addressRate], burst: values[burst]),
            emailRate: TokenBucket.Rate(perMinute: values[emailRate], burst: values[burst]),
            accountRate: TokenBucket.Rate(perMinute: values[accountRate], burst: 10 * values[burst]),
            maxChecks: values[checks], passwordCost: values[passwordCost],
            sessionBounds: SessionBounds(
                life: values[sessionLife], briefLife: values[briefSessionLife], maxSessions: values[maxSessions]))
    }
}

/// The values of ``SignInSettings``.
struct SignInConfiguration: Hashable, Sendable {
    /// The maximum rate of wrong passwords from one address.
    var addressRate = TokenBucket.Rate(perMinute: 30, burst: 10)
    /// The maximum rate of wrong passwords for one email address from one network, or from one known browser.
    var emailRate = TokenBucket.Rate(perMinute: 5, burst: 10)
    /// The maximum rate of wrong passwords for one email address from all unknown browsers.
    var accountRate = TokenBucket.Rate(perMinute: 60, burst: 100)
    /// The number of passwords that are checked concurrently.
    var maxChecks = 2
    /// The cost of hashing a new password.
    var passwordCost = PasswordHash.usualCost
    /// The limits on sessions.
    var sessionBounds = SessionBounds()
}
