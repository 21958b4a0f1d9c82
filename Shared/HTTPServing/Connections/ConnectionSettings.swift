package import ServiceRuntime

/// The settings of a server's connections. They have the same names in every service that has a server.
package struct ConnectionSettings: SettingGroup {
    private let maxConnections: Setting<Int>
    private let maxConnectionsPerAddress: Setting<Int>
    private let stallLimit = Setting(
        "http.stallLimit", .time(.seconds(1)...(.seconds(3600))), default: .seconds(60),
        "time without a transfer after which a connection is closed, unless its client is waiting for a response")
    private let minRate = Setting(
        "http.minRate", .integer(0...1 << 30, unit: "bytes a second"), default: 1024,
        "minimum rate of a request and of a response, measured over the stall limit; a slower connection is closed; 0 disables the check"
    )
    private let trustedProxies = Setting(
        "http.trustedProxies", .addressRanges, default: [],
        "the proxies in front of the server; their connections are not limited by address, and the gateway takes the client's address from them"
    )

    /// Creates the settings.
    ///
    /// - Parameters:
    ///   - maxConnections: the default number of connections.
    ///   - range: the allowed range for both limits.
    ///   - perAddress: the default number of connections per address.
    package init(default maxConnections: Int, in range: ClosedRange<Int>, perAddress: Int) {
        self.maxConnections = Setting(
            "http.maxConnections", .integer(range), default: maxConnections,
            "maximum number of connections; above it, the connection that has been idle the longest is closed, or the new one if none is idle"
        )
        maxConnectionsPerAddress = Setting(
            "http.maxConnectionsPerAddress", .integer(range), default: perAddress,
            "maximum number of connections from one address (for IPv6, one /64 network), enforced in the same way")
    }

    /// The values of the settings.
    package struct Values: Sendable {
        /// The maximum number of concurrent connections.
        package var maxConnections: Int
        /// The maximum number of concurrent connections from one address.
        package var maxConnectionsPerAddress: Int
        /// How long a connection may go without a transfer before it is closed.
        package var stallLimit: Duration
        /// The minimum transfer rate, in bytes per second.
        package var minRate: Int
        /// The proxies in front of the server.
        package var trustedProxies: [AddressRange]

        /// Returns the rules for the connections of one server. Raises the process's limit on open files if the number
        /// of connections requires it.
        package func policy(_ metrics: ServiceMetrics) -> ConnectionPolicy {
            let metrics = ConnectionMetrics(metrics)
            return ConnectionPolicy(
                permits: ConnectionPermits(
                    OpenFiles.makeRoom(for: maxConnections), perAddress: maxConnectionsPerAddress,
                    proxies: trustedProxies, metrics: metrics),
                stallLimit: stallLimit, minBytesPerSecond: minRate, metrics: metrics)
        }
    }

    /// Returns the values of the settings.
    package func read(_ values: SettingValues) -> Values {
        Values(
            maxConnections: values[maxConnections], maxConnectionsPerAddress: values[maxConnectionsPerAddress],
            stallLimit: values[stallLimit], minRate: values[minRate], trustedProxies: values[trustedProxies])
    }
}
