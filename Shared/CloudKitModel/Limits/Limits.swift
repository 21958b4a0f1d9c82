/// The limits on requests and records. The comment on each property names the limited quantity. ``Limit`` describes the
/// limits' names, ranges and settings.
package struct Limits: Hashable, Sendable {
    /// The profile, which determines the default limits.
    package let profile: Profile
    /// Operations in a `records/modify` request.
    package var maxOperationsPerRequest: Int
    /// Records in a `records/lookup` request.
    package var maxLookupsPerRequest: Int
    /// Zones, or operations on zones, in a request.
    package var maxZonesPerRequest: Int
    /// The size of a request's body in bytes.
    package var maxBodyBytes: Int
    /// A record's counted size without its assets, in bytes (`FieldValue.countedSize(named:)`).
    package var maxRecordBytes: Int
    /// The length of a record, zone, type or field name in bytes of UTF-8. Not configurable: indexes and routing
    /// keys depend on it.
    package let maxNameBytes = NameRules.maxBytes
    /// Records per page if the request does not specify a number.
    package var defaultResults: Int
    /// The largest number of records per page, even if the request asks for more.
    package var maxResults: Int
    /// Records that refer to one record with `DELETE_SELF`.
    package var maxOwningReferences: Int
    /// Records deleted together with a record in the same transaction. Further records are deleted in the background.
    package var maxCascade: Int
    /// Records read for one query that no index supports.
    package var maxScannedRecords: Int
    /// Groups in the answer to an aggregate.
    package var maxGroups: Int
    /// Tokens in an `assets/upload` request.
    package var maxUploadTokens: Int
    /// The size of an asset in bytes.
    package var maxAssetBytes: Int
    /// Participants in a share, not counting its owner and users who joined through its link.
    package var maxParticipants: Int
    /// Users who have joined a share through its link.
    package var maxPublicUsers: Int
    /// Pending requests for access to a share. As many users can be blocked.
    package var maxRequesters: Int
    /// Operations in a `subscriptions/modify` request, or subscriptions in a lookup.
    package var maxSubscriptionOperations: Int
    /// Subscriptions per user in a database.
    package var maxSubscriptions: Int
    /// Query subscriptions whose predicates do not require any field to equal a value, per user in the public database.
    package var maxUnselectiveSubscriptions: Int
    /// Registered clients per user in an environment.
    package var maxClients: Int
    /// The size of a reply's encoded body in bytes: the maximum size of a message body, minus room for headers.
    package var maxAnswerBytes = 16 << 20 - 64 << 10

    /// Creates the default limits of a profile. In `compat`, a limit that Apple publishes for CloudKit Web Services
    /// (semantics 14) applies where it is smaller.
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
        maxParticipants = 100
        maxPublicUsers = 1_000
        maxRequesters = 100
        maxSubscriptionOperations = 200
        maxSubscriptions = 1_000
        maxUnselectiveSubscriptions = 20
        maxClients = 100
    }
}
