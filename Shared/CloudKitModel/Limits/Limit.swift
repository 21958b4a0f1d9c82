/// The description of one of the ``Limits``, from which settings, capabilities and documentation are generated.
package struct Limit: Sendable {
    /// The name, such as `operations` for the setting `limit.operations`.
    package let name: String
    /// The property of ``Limits`` that contains the value.
    package let value: any WritableKeyPath<Limits, Int> & Sendable
    /// The permitted values of the setting.
    package let range: ClosedRange<Int>
    /// `bytes`, or empty for a count.
    package let unit: String
    /// The limited quantity, as a phrase.
    package let summary: String
    /// The error returned if the limit is exceeded. If it is nil, the service reduces its work to the limit instead of
    /// rejecting the request.
    package let error: ReasonCode?

    private init(
        _ name: String, _ value: any WritableKeyPath<Limits, Int> & Sendable, _ range: ClosedRange<Int>,
        unit: String = "", _ summary: String, error: ReasonCode?
    ) {
        self.name = name
        self.value = value
        self.range = range
        self.unit = unit
        self.summary = summary
        self.error = error
    }

    private static let body = Limit(
        "bodyBytes", \.maxBodyBytes, 1024...64 << 20, unit: "bytes", "the body of a request", error: .limitExceeded)

    /// The limits of the record service.
    package static let record = [
        Limit(
            "operations", \.maxOperationsPerRequest, 1...10_000, "operations in a `records.modify` request",
            error: .limitExceeded),
        Limit(
            "lookups", \.maxLookupsPerRequest, 1...10_000, "records in a `records.lookup` request",
            error: .limitExceeded),
        Limit("zones", \.maxZonesPerRequest, 1...10_000, "zones in a request", error: .limitExceeded), body,
        Limit(
            "recordBytes", \.maxRecordBytes, 1024...16 << 20, unit: "bytes", "a record without its assets",
            error: .recordTooLarge),
        Limit("results", \.maxResults, 1...5000, "records per page, even if the request asks for more", error: nil),
        Limit(
            "defaultResults", \.defaultResults, 1...5000, "records per page if the request does not specify a number",
            error: nil),
        Limit(
            "owningReferences", \.maxOwningReferences, 1...10_000_000,
            "records that refer to one record with `DELETE_SELF`", error: .tooManyOwningReferences),
        Limit(
            "cascade", \.maxCascade, 1...1_000_000,
            "records deleted together with a record, or moved with it into or out of a share, in one transaction; if there are more, all are deleted or moved in the background",
            error: nil),
        Limit(
            "scan", \.maxScannedRecords, 0...100_000_000, "records read for a query that no index supports",
            error: .scanTooLarge),
        Limit("groups", \.maxGroups, 1...100_000, "groups in the answer to `records.aggregate`", error: .tooManyGroups),
        Limit(
            "participants", \.maxParticipants, 1...10_000,
            "participants of a share, not counting its owner and users who joined through its link",
            error: .tooManyParticipants),
        Limit(
            "publicUsers", \.maxPublicUsers, 0...10_000, "users who have joined a share through its link",
            error: .tooManyParticipants),
        Limit(
            "requesters", \.maxRequesters, 0...1_000,
            "pending requests for access to a share; as many users can be blocked", error: .tooManyRequesters),
    ]

    /// The limits of the asset service.
    package static let asset = [
        Limit(
            "uploadTokens", \.maxUploadTokens, 1...10_000, "tokens in an `assets.upload` request", error: .limitExceeded
        )
    ]

    /// The limits of the subscription service.
    package static let subscription = [
        Limit(
            "subscriptions", \.maxSubscriptions, 1...100_000, "subscriptions per user in a database",
            error: .tooManySubscriptions),
        Limit(
            "unselectiveSubscriptions", \.maxUnselectiveSubscriptions, 0...100_000,
            "query subscriptions whose predicates do not require any field to equal a value, per user in the "
                + "public database",
            error: .tooManyUnselectiveSubscriptions),
        Limit(
            "subscriptionOperations", \.maxSubscriptionOperations, 1...10_000,
            "operations in a `subscriptions.modify` request, or subscriptions in a lookup", error: .limitExceeded),
        Limit(
            "clients", \.maxClients, 1...1000, "registered clients per user in an environment",
            error: .tooManyClients), body,
    ]
}
