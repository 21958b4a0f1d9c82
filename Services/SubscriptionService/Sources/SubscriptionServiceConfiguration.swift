package import RequestServing
package import ServiceRuntime

/// The settings of the subscription service, beside those of ``HostConfiguration``.
package struct SubscriptionServiceConfiguration: Sendable {
    /// Broker, database, health.
    package var host: HostConfiguration

    /// Reads and checks the settings.
    ///
    /// - Throws: ``SettingError`` naming the variable.
    package init(_ settings: ServiceSettings) throws(SettingError) {
        host = try HostConfiguration(settings, name: "zonda-subscription", healthPort: 8103)
    }
}
