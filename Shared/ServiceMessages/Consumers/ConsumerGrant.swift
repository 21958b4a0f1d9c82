package import CloudKitModel
package import CloudKitWire

/// The zones of one database whose notifications a consumer may receive. The broker enforces the grant on bindings,
/// through ``bindingPattern``; the subscription service enforces it on replays, through ``covers(_:)``.
package struct ConsumerGrant: Hashable, Sendable {
    /// A selection of a database's zones.
    package enum Zones: Hashable, Sendable {
        /// The zones with these names, which need not exist.
        case named([String])
        /// All zones, including those created later.
        case all
    }

    /// The maximum number of zones that a grant may name. The names are combined into one regular expression, which the
    /// broker evaluates for each binding.
    package static let maxZones = 100

    /// The consumer that has the grant.
    package var consumer: ConsumerName
    /// The consumer's broker user.
    package var brokerUser: String
    /// The container's identifier.
    package var container: String
    /// The environment.
    package var environment: EnvironmentName
    /// The database: public or private.
    package var scope: DatabaseScope
    /// The owner's user record name; ``ZoneAddress/publicOwner`` in the public database.
    package var owner: String
    /// The granted zones.
    package var zones: Zones

    /// Creates a grant from its parts.
    package init(
        consumer: ConsumerName, brokerUser: String, container: String, environment: EnvironmentName,
        scope: DatabaseScope,
        owner: String, zones: Zones
    ) {
        self.consumer = consumer
        self.brokerUser = brokerUser
        self.container = container
        self.environment = environment
        self.scope = scope
        self.owner = owner
        self.zones = zones
    }

    /// Returns the routing key of the notifications for a zone in the database. The zone need not be granted.
    package func key(ofZone zone: String) -> String {
        RoutingKey.zoneNotification(
            ZoneAddress(
                container: container, environment: environment, scope: scope, owner: owner,
                zone: ZoneName(unchecked: zone)))
    }

    /// The routing keys of the named zones; nil if all zones are granted.
    package var keys: [String]? {
        if case .named(let names) = zones { names.map(key(ofZone:)) } else { nil }
    }

    /// Returns whether the grant covers notifications with the routing key `key`.
    package func covers(_ key: String) -> Bool {
        keys?.contains(key) ?? (key.hasPrefix(self.key(ofZone: "")) && !key.hasSuffix("."))
    }

    /// Returns whether a queue may be bound with `key`, by the same rule as ``bindingPattern``.
    package func allowsBinding(_ key: String) -> Bool {
        guard keys == nil else { return covers(key) }
        let rest = key.dropFirst(self.key(ofZone: "").count)
        return covers(key) && !rest.contains(".") && !rest.contains("#")
    }

    /// The permitted binding keys as a regular expression for RabbitMQ's topic permissions. If all zones are granted,
    /// the last part may be `*`, which matches exactly one part and therefore no key outside the database.
    package var bindingPattern: String {
        let prefix = Self.escaped(key(ofZone: ""))
        guard case .named(let names) = zones else { return "^\(prefix)[^.#]+$" }
        let parts = names.map { Self.escaped(RoutingKey.part($0)) }
        return "^\(prefix)(\(parts.joined(separator: "|")))$"
    }

    /// Escapes a key, which consists of visible ASCII characters, for use in a regular expression. A backslash makes a
    /// character literal unless the character is a letter or a digit. Braces are escaped too, so that RabbitMQ does not
    /// expand `{username}`.
    private static func escaped(_ key: String) -> String {
        var text = ""
        for character in key.unicodeScalars {
            switch character {
            case "a"..."z", "A"..."Z", "0"..."9", "_": break
            default: text.unicodeScalars.append("\\")
            }
            text.unicodeScalars.append(character)
        }
        return text
    }
}

/// A stored grant.
package struct GrantedConsumer: Sendable {
    /// The granted zones and the consumer.
    package var grant: ConsumerGrant
    /// The time of the grant, in milliseconds since 1970.
    package var grantedAt: Int64

    /// Creates a stored grant.
    package init(grant: ConsumerGrant, grantedAt: Int64) { (self.grant, self.grantedAt) = (grant, grantedAt) }
}

extension ConsumerGrant {
    /// Decodes `{"consumer", "brokerUser", "container", "environment", "database", "user", "zones" | "allZones"}`.
    ///
    /// - Throws: a `BAD_REQUEST` error that names the key.
    package init(_ body: JSONValue) throws(ServerError) {
        consumer = try ConsumerName(validating: try Self.text("consumer", body))
        brokerUser = try Self.text("brokerUser", body)
        guard brokerUser.utf8.count <= 255 else {
            throw ServerError(
                .invalidValue, "A broker user's name must not exceed 255 bytes", field: "brokerUser", limit: 255,
                actual: brokerUser.utf8.count)
        }
        container = try Self.text("container", body)
        guard container.utf8.count <= 255, container.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ServerError(
                .containerInvalid, "Invalid container identifier; use at most 255 visible ASCII characters",
                field: "container")
        }
        guard let environment = EnvironmentName(rawValue: try Self.text("environment", body)) else {
            throw ServerError(
                .environmentInvalid, "Unknown environment; use 'development' or 'production'", field: "environment")
        }
        self.environment = environment
        let database = try Self.text("database", body)
        switch DatabaseScope(wireName: database) {
        case .public?: (scope, owner) = (.public, ZoneAddress.publicOwner)
        case .private?:
            let user = try Self.text("user", body)
            do {
                owner = try UserName(validating: user).rawValue
            } catch {
                throw ServerError(error, field: "user")
            }
            scope = .private
        default:
            throw ServerError(
                .databaseInvalid, "Unknown database '\(database)'; use 'public' or 'private'", field: "database")
        }
        zones = try Self.zones(body)
    }

    /// The grant as JSON that ``init(_:)`` decodes.
    package var json: JSONValue {
        var members = [
            JSONValue.Member("consumer", .string(consumer.rawValue)),
            JSONValue.Member("brokerUser", .string(brokerUser)),
            JSONValue.Member("container", .string(container)),
            JSONValue.Member("environment", .string(environment.rawValue)),
            JSONValue.Member("database", .string(scope.wireName)),
        ]
        if scope != .public { members.append(JSONValue.Member("user", .string(owner))) }
        switch zones {
        case .named(let names): members.append(JSONValue.Member("zones", .array(names.map { .string($0) })))
        case .all: members.append(JSONValue.Member("allZones", true))
        }
        return .object(members)
    }

    private static func zones(_ body: JSONValue) throws(ServerError) -> Zones {
        if body["allZones"]?.bool == true {
            guard body["zones"] == nil else {
                throw ServerError(.invalidValue, "Specify 'zones' or 'allZones', not both", field: "allZones")
            }
            return .all
        }
        guard let elements = body["zones"]?.array, !elements.isEmpty else { throw .missingKey("zones") }
        guard elements.count <= maxZones else { throw .tooMany("zones", limit: maxZones, actual: elements.count) }
        var names: [String] = []
        for element in elements {
            guard let name = element.string else { throw .wrongKind("zones", expected: "a list of zone names") }
            do {
                names.append(try ZoneName(validating: name).rawValue)
            } catch {
                throw ServerError(error, field: "zones")
            }
        }
        return .named(names)
    }

    private static func text(_ key: String, _ body: JSONValue) throws(ServerError) -> String {
        guard let value = body[key], !value.isNull else { throw .missingKey(key) }
        guard let text = value.string, !text.isEmpty else { throw .wrongKind(key, expected: "a string") }
        return text
    }
}
