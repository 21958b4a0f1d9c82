package import HTTPServing
internal import NIOSSL
internal import PostgresClient
package import RequestServing
package import ServiceRuntime
package import SignedTokens

/// The values of the settings in ``GatewaySettings``, in `HostSettings` and in the gateway's parts.
package struct GatewayConfiguration: HostedConfiguration {
    /// The configuration of the broker, the database and the health checks.
    package var host: HostConfiguration
    /// The address on which the gateway serves clients.
    package var httpHost: String
    /// The port on which the gateway serves clients.
    package var httpPort: Int
    /// The public URL, without a trailing slash.
    package var publicURL: String
    /// The certificate and the key; nil disables TLS.
    var tls: TLSConfiguration?
    /// The proxies that are trusted to report a client's address.
    var trustedProxies: TrustedProxies
    /// The limits on connections.
    package var connections: ConnectionSettings.Values
    /// The time limit for a client to send a request.
    package var sendingTime: Duration
    /// The maximum size of a request body, in bytes.
    package var maxBodyBytes: Int
    /// The maximum total size of request bodies in memory, in bytes.
    package var maxBodiesBytes: Int
    /// The time limit for a service to answer.
    package var requestTime: Duration
    /// The maximum number of requests that are answered concurrently.
    package var maxConcurrent: Int
    /// The maximum shares of `maxBodiesBytes` and `maxConcurrent` that one address or one container can take.
    var shares: FairBudget.Parts
    /// The rate limits.
    var rates: RateLimits.Rates
    /// The values of ``SignInSettings``.
    var signIn: SignInConfiguration
    /// The values of ``CourierSettings``.
    var courier: CourierConfiguration
    /// The keys that sign web auth tokens.
    package var webAuthTokenKeys: SigningKeys
    /// The keys that sign the addresses of sign-in pages and their forms.
    package var signInKeys: SigningKeys
    /// The keys that verify registered clients' tokens, which the subscription service signs.
    package var clientKeys: SigningKeys

    /// All settings of the service.
    package static let settings =
        HostSettings().all + ownSettings.declared + connectionSettings.declared + rateSettings.declared
        + signInSettings.declared + courierSettings.declared
    private static let ownSettings = GatewaySettings()
    private static let connectionSettings = ConnectionSettings(
        default: 10_000, in: 1...100_000, perAddress: 1000)
    private static let rateSettings = RateSettings()
    private static let signInSettings = SignInSettings()
    private static let courierSettings = CourierSettings()

    /// Reads and checks the settings.
    ///
    /// - Throws: a ``SettingError`` that names all invalid settings.
    package init(_ settings: ServiceSettings) throws(SettingError) {
        let (values, own) = (try settings.read(Self.settings), Self.ownSettings)
        host = HostConfiguration(values, name: "zonda-gateway", healthPort: values[own.healthPort])
        httpHost = values[own.httpHost]
        httpPort = values[own.httpPort]
        tls = try TLSFiles.configuration(
            certificate: (own.certificateFile.name.variable, values[own.certificateFile]),
            key: (own.keyFile.name.variable, values[own.keyFile]))
        publicURL = values[own.publicURL] ?? "\(tls == nil ? "http" : "https")://127.0.0.1:\(httpPort)"
        connections = Self.connectionSettings.read(values)
        trustedProxies = TrustedProxies(connections.trustedProxies, field: values[own.proxyField])
        sendingTime = values[own.sendingTime]
        maxBodyBytes = values[own.maxBody]
        maxBodiesBytes = values[own.maxBodies]
        requestTime = values[own.requestTime]
        maxConcurrent = values[own.maxConcurrent]
        shares = FairBudget.Parts(address: values[own.addressShare], container: values[own.containerShare])
        rates = Self.rateSettings.rates(values)
        signIn = Self.signInSettings.configuration(values)
        courier = Self.courierSettings.configuration(values)
        webAuthTokenKeys = try host.keys(for: .webAuthToken)
        signInKeys = try host.keys(for: .signIn)
        clientKeys = try host.keys(for: .clientToken)
        // The time limit for a service also limits the wait for a database connection.
        host.postgres.leaseTimeout = min(host.postgres.leaseTimeout, requestTime)
    }
}
