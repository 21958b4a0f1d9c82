internal import AMQPClient
internal import CloudKitModel
internal import FoundationEssentials
internal import Logging
internal import PostgresClient
package import ServiceRuntime
internal import SignedTokens

/// The settings common to all services.
package struct HostSettings: SettingGroup {
    let amqp = Setting("amqp.url", .broker, "the broker: `amqp://user:password@host:port/vhost`, or `amqps`")
    let amqpPassword = Setting(optional: "amqp.password", .secret, absence: "the URL's", "the broker's password")
    let maxMessage = Setting(
        "amqp.maxMessage", .integer(1 << 20...512 << 20, unit: "bytes"),
        default: AMQPConfiguration.defaultMaxMessageBytes,
        "the maximum size of a message body; must not be larger than the broker's `max_message_size` or smaller than "
            + "any other body limit")
    let postgres = Setting("postgres.url", .database, "the database: `postgres://user:password@host:port/database`")
    let postgresPassword = Setting(
        optional: "postgres.password", .secret, absence: "the URL's", "the database's password")
    let signingKeysFile = Setting(
        optional: "signing.keysFile", .signingKeysFile, alternative: "signing.keys",
        "the file with the keys, one per line: `id:purpose:64 hexadecimal digits`; the first key for a purpose signs; a line "
            + "without `purpose` is a secret from which the keys for all purposes are derived")
    let signingKeys = Setting(
        optional: "signing.keys", .signingKeys, absence: "required without `signing.keysFile`",
        "the lines of a keys file, given directly")
    let producers = Setting(
        optional: "producers", .producersFile, absence: "every user may send all requests",
        "the file that lists which requests each broker user may send: see [operating](operating.md#producers)")
    let healthHost = Setting(
        "health.host", .text, default: "127.0.0.1", "the address on which health and metrics are served")
    let logLevel = Setting("log.level", .choice, default: Logger.Level.info, "the lowest level that is logged")
    let logFormat = Setting(
        "log.format", .choice, default: ServiceLog.Format.json, "the format of log lines: JSON, or human-readable text")

    /// Creates the settings.
    package init() {}

    /// All settings of the host, including ``SourceSettings`` and ``ThrottleSettings``.
    package var all: [any DeclaredSetting] { SourceSettings().declared + declared + ThrottleSettings().declared }
}

extension Setting where Value == Int {
    /// Returns the setting for the health port. Its default differs between the services.
    package static func healthPort(default port: Int) -> Self {
        Setting("health.port", .port, default: port, "the port on which health and metrics are served")
    }
}

extension SettingType where Value == AMQPConfiguration {
    /// A type for the URL of a broker.
    fileprivate static var broker: Self {
        SettingType("URL", allowed: "`amqp://…`, `amqps://…`", isSecret: true) { url throws(SettingRefusal) in
            do throws(AMQPError) {
                return try AMQPConfiguration(url: url)
            } catch {
                throw SettingRefusal("must be amqp://user:password@host:port/vhost or amqps://…: \(error.message)")
            }
        }
    }
}

extension SettingType where Value == PostgresConfiguration {
    /// A type for the URL of a database, or for another connection string that libpq accepts.
    fileprivate static var database: Self {
        SettingType("URL", allowed: "any form that libpq accepts", isSecret: true) { url throws(SettingRefusal) in
            guard PostgresConfiguration.canRead(url) else {
                throw SettingRefusal(
                    "must be postgres://user:password@host:port/database, with special characters percent-encoded")
            }
            return PostgresConfiguration(url: url)
        }
    }
}

extension SettingType where Value == ProducersFile {
    /// A type for the path of a producers file. The file is read when the setting is parsed.
    fileprivate static var producersFile: Self {
        SettingType("path", allowed: "a JSON file") { path throws(SettingRefusal) in
            do throws(ProducersFault) {
                return try ProducersFile(path: path)
            } catch {
                throw SettingRefusal("must name a producers file: \(error)")
            }
        }
    }
}

extension SettingType where Value == Secret {
    /// A type for the lines of a deployment's keys.
    fileprivate static var signingKeys: Self {
        SettingType("text", allowed: "`id:purpose:64 hexadecimal digits`", isSecret: true) {
            text throws(SettingRefusal) in
            try keys(text, "must be a list of keys, one per line")
        }
    }

    /// A type for the path of a file with lines of keys. Errors never quote the value, because it might contain the
    /// keys themselves by mistake.
    fileprivate static var signingKeysFile: Self {
        SettingType("path", isQuoted: false) { path throws(SettingRefusal) in
            guard let text = try? String(contentsOfFile: path, encoding: .utf8) else {
                throw SettingRefusal("must name a file that can be read")
            }
            return try keys(text, "must name a file that contains keys")
        }
    }

    /// Validates lines of keys. A missing key for a purpose is detected later, when the service requests the keys for
    /// that purpose.
    private static func keys(_ text: String, _ rule: String) throws(SettingRefusal) -> Secret {
        do {
            _ = try SigningKeyFile(parsing: text)
            return Secret(text)
        } catch {
            throw SettingRefusal("\(rule): \(error)")
        }
    }
}
