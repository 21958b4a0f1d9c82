/// What one request may ask for, and what a service holds records to. ``Limit`` has their names, defaults and settings.
package struct Limits: Hashable, Sendable {
    /// Which requests are accepted; decides the defaults of the limits.
    package let profile: Profile
    /// Operations of a `records/modify`.
    package var maxOperationsPerRequest: Int
    /// Records of a `records/lookup`.
    package var maxLookupsPerRequest: Int
    /// Zones, or operations on zones, of a request.
    package var maxZonesPerRequest: Int
    /// A request's body, in bytes.
    package var maxBodyBytes: Int
    /// A record's counted size without its assets, in bytes (`FieldValue.countedSize(named:)`).
    package var maxRecordBytes: Int
    /// A record, zone, type or field name, in bytes of UTF-8. The same for all: indexes and routing keys are made for it.
    package let maxNameBytes = NameRules.maxBytes
    /// Records in a reply, when the request does not say.
    package var defaultResults: Int
    /// Records in a reply, whatever the request says.
    package var maxResults: Int
    /// Records pointing at one target with `DELETE_SELF`.
    package var maxOwningReferences: Int
    /// Records that a deletion takes along in its own transaction; more of them go in the background.
    package var maxCascade: Int
    /// Records that are read for one query that no index serves.
    package var maxScannedRecords: Int
    /// Groups of an aggregate.
    package var maxGroups: Int
    /// Tokens of an `assets/upload`.
    package var maxUploadTokens: Int
    /// An asset, in bytes.
    package var maxAssetBytes: Int
    /// Operations of a `subscriptions/modify`, or subscriptions of a lookup.
    package var maxSubscriptionOperations: Int
    /// Subscriptions of a user in a database.
    package var maxSubscriptions: Int
    /// Query subscriptions of a user in the public database whose predicates demand no equality.
    package var maxUnselectiveSubscriptions: Int
    /// Clients that a user has registered in an environment.
    package var maxClients: Int
    /// An answer's body, in bytes as written: a message's largest body less its headers.
    package var maxAnswerBytes = 16 << 20 - 64 << 10

    /// The defaults of a profile: in `compat` those that Apple publishes for CloudKit Web Services (semantics 14), as
    /// far as they are smaller.
    package init(_ profile: Profile = .extended) {
        let isCompat = profile == .compat
        self.profile = profile
        maxOperationsPerRequest = isCompat ? 200 : 2_000
        maxLookupsPerRequest = isCompat ? 200 : 2_000
        maxZonesPerRequest = isCompat ? 200 : 2_000
        maxBodyBytes = (isCompat ? 2 : 16) * 1024 * 1024
        maxRecordBytes = 1_048_576
        defaultResults = 200
        maxResults = isCompat ? 200 : 1_000
        maxOwningReferences = isCompat ? 750 : 100_000
        maxCascade = 10_000
        maxScannedRecords = 100_000
        maxGroups = 1_000
        maxUploadTokens = 200
        maxAssetBytes = 250 * 1024 * 1024
        maxSubscriptionOperations = 200
        maxSubscriptions = 1_000
        maxUnselectiveSubscriptions = 20
        maxClients = 100
    }
}
