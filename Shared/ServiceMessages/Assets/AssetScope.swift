package import CloudKitModel
internal import SignedTokens

/// The database to which an upload, a receipt or a download belongs.
package struct AssetScope: Sendable, Hashable {
    /// A user who uploads to the private database of another user.
    package struct Participant: Sendable, Hashable {
        /// The user, who participates in a share of the zone.
        package var user: String
        /// The zone whose records may refer to the uploads.
        package var zone: ZoneName

        /// Creates a participant.
        package init(user: String, zone: ZoneName) { (self.user, self.zone) = (user, zone) }
    }

    /// The container's identifier.
    package var container: String
    /// The environment.
    package var environment: EnvironmentName
    /// The database: public or private.
    package var scope: DatabaseScope
    /// The owner's user record name; ``ZoneAddress/publicOwner`` in the public database.
    package var owner: String
    /// The participant who uploads to the owner's private database; nil if the uploader is its owner, or if the
    /// database is public. A receipt with a participant is valid only for saves by that participant in that zone.
    package var participant: Participant?

    /// Creates a scope from its parts.
    package init(
        container: String, environment: EnvironmentName, scope: DatabaseScope, owner: String,
        participant: Participant? = nil
    ) {
        self.container = container
        self.environment = environment
        self.scope = scope
        self.owner = owner
        self.participant = participant
    }

    /// Creates the scope of a zone's database.
    package init(_ address: ZoneAddress) {
        self.init(
            container: address.container, environment: address.environment, scope: address.scope, owner: address.owner)
    }

    /// Creates the scope of the uploads to which records saved by `user` in a zone may refer.
    package init(_ address: ZoneAddress, savedBy user: String) {
        self.init(address)
        guard address.scope == .private, user != address.owner else { return }
        participant = Participant(user: user, zone: address.zone)
    }

    /// Writes the scope. The database of a scope with a participant is written as `shared`.
    func write(to writer: inout BinaryWriter) {
        writer.append(container)
        writer.append(environment.rawValue)
        writer.append((participant == nil ? scope : .shared).wireName)
        writer.append(owner)
        guard let participant else { return }
        writer.append(participant.user)
        writer.append(participant.zone.rawValue)
    }

    init?(_ reader: inout BinaryReader) {
        guard let container = reader.readText(),
            let environment = reader.readText().flatMap(EnvironmentName.init(rawValue:)),
            let scope = reader.readText().flatMap(DatabaseScope.init(wireName:)), let owner = reader.readText()
        else { return nil }
        guard scope == .shared else {
            self.init(container: container, environment: environment, scope: scope, owner: owner)
            return
        }
        guard let user = reader.readText(), let zone = reader.readText() else { return nil }
        self.init(
            container: container, environment: environment, scope: .private, owner: owner,
            participant: Participant(user: user, zone: ZoneName(unchecked: zone)))
    }
}
