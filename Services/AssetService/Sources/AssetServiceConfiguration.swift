package import RequestServing
package import ServiceRuntime

/// The settings of the asset service, beside those of ``HostConfiguration``.
package struct AssetServiceConfiguration: Sendable {
    /// Broker, database, health.
    package var host: HostConfiguration

    /// Reads and checks the settings.
    ///
    /// - Throws: ``SettingError`` naming the variable.
    package init(_ settings: ServiceSettings) throws(SettingError) {
        host = try HostConfiguration(settings, name: "zonda-asset", healthPort: 8102)
    }
}
