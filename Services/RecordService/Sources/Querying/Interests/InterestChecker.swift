internal import CloudKitModel
internal import CloudKitQuery
internal import RecordStorage

/// The result of checking a question.
enum Interest {
    /// The values that the subscription service keeps: the type, the predicate's format string, and whether the user
    /// can see only the user's own records.
    case known(RecordTypeSchema, predicate: String, ownOnly: Bool)
    /// The error for a query that cannot be subscribed to.
    case refused(ServerError)

    /// The type, if it is not watched yet.
    var unwatchedType: RecordTypeID? {
        if case .known(let type, _, _) = self, !type.isWatched { type.id } else { nil }
    }
}

/// Checks a user's questions against a schema.
struct InterestChecker {
    /// The maximum size of a predicate's format string, in bytes. It is limited because the string is kept for each
    /// subscription and evaluated for each change.
    static let maxPredicateBytes = 16_384

    let resolver: QueryResolver
    let place: QueryResolver.Place
    /// The errors for the zones that do not exist, by zone name.
    let missingZones: [ZoneName: ServerError]

    /// Returns the result of checking `question`. An error contains the record type.
    func interest(_ question: InterestQuestion, _ schema: EnvironmentSchema) -> Interest {
        do throws(ServerError) {
            let query = try question.query.get()
            if let zoneID = question.zoneID, let error = missingZones[zoneID.zoneName] { throw error }
            let target = try resolver.target(query, in: place, schema)
            _ = try resolver.predicate(of: query, for: target)
            return .known(
                target.type, predicate: try Self.format(query.predicate), ownOnly: target.creator != nil)
        } catch {
            var named = error
            if !question.recordType.isEmpty { named.recordType = question.recordType }
            return .refused(named)
        }
    }

    /// Returns a predicate's canonical format string, which can be parsed again.
    private static func format(_ predicate: Predicate) throws(ServerError) -> String {
        let format = predicate.format
        let bytes = format.utf8.count
        guard bytes <= maxPredicateBytes else {
            throw ServerError(
                .predicateTooLarge,
                "The predicate's format string is \(bytes) bytes long; the limit for subscriptions is \(maxPredicateBytes)",
                field: "filterBy", limit: maxPredicateBytes, actual: bytes)
        }
        guard (try? Predicate(format: format, now: 0)) != nil else {
            throw .predicateNotSupported("The predicate cannot be stored as a format string", field: "filterBy")
        }
        return format
    }
}
