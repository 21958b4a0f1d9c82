package import RequestServing
package import ServiceRuntime
package import SignedTokens

/// What ``GatewaySettings`` and `HostSettings` say.
package struct GatewayConfiguration: HostedConfiguration {
    /// Broker, database, health.
    package var host: HostConfiguration
    /// Where clients are served.
    package var httpHost: String
    /// The port of it.
    package var httpPort: Int
    /// The public address, without a slash at the end.
    package var publicURL: String
    /// Signs web auth tokens.
    package var webAuthTokenKeys: SigningKeys
    /// Signs the addresses of sign-in pages and their forms.
    package var signInKeys: SigningKeys
    /// Verifies registered clients' tokens, which the subscription service signs.
    package var clientKeys: SigningKeys

    /// All settings of the service.
    package static let settings = HostSettings().all + ownSettings.declared
    private static let ownSettings = GatewaySettings()

    /// Reads and checks the settings.
    ///
    /// - Throws: ``SettingError`` naming all that are wrong.
    package init(_ settings: ServiceSettings) throws(SettingError) {
        let (values, own) = (try settings.read(Self.settings), Self.ownSettings)
        host = HostConfiguration(values, name: "zonda-gateway", healthPort: values[own.healthPort])
        httpHost = values[own.httpHost]
        httpPort = values[own.httpPort]
        publicURL = values[own.publicURL] ?? "http://127.0.0.1:\(httpPort)"
        webAuthTokenKeys = try host.keys(for: .webAuthToken)
        signInKeys = try host.keys(for: .signIn)
        clientKeys = try host.keys(for: .clientToken)
    }
}
