package import CloudKitModel
internal import SignedTokens

/// The database to which an upload, a receipt or a download belongs.
package struct AssetScope: Sendable, Hashable {
    /// The container's identifier.
    package var container: String
    /// The environment.
    package var environment: EnvironmentName
    /// The database: public or private.
    package var scope: DatabaseScope
    /// The owner's user record name; ``ZoneAddress/publicOwner`` in the public database.
    package var owner: String

    /// Creates a scope from its parts.
    package init(container: String, environment: EnvironmentName, scope: DatabaseScope, owner: String) {
        self.container = container
        self.environment = environment
        self.scope = scope
        self.owner = owner
    }

    /// Creates the scope of a zone's database.
    package init(_ address: ZoneAddress) {
        self.init(
            container: address.container, environment: address.environment, scope: address.scope, owner: address.owner)
    }

    /// Creates the scope of the database that a request addresses.
    package init(_ context: RequestContext) {
        self.init(context.address(ofZone: .defaultZone))
    }

    func write(to writer: inout BinaryWriter) {
        writer.append(container)
        writer.append(environment.rawValue)
        writer.append(scope.wireName)
        writer.append(owner)
    }

    init?(_ reader: inout BinaryReader) {
        guard let container = reader.readText(),
            let environment = reader.readText().flatMap(EnvironmentName.init(rawValue:)),
            let scope = reader.readText().flatMap(DatabaseScope.init(wireName:)), let owner = reader.readText()
        else { return nil }
        self.init(container: container, environment: environment, scope: scope, owner: owner)
    }
}
