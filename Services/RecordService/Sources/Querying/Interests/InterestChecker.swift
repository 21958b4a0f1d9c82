internal import CloudKitModel
internal import CloudKitQuery
internal import RecordStorage

/// What becomes of a question.
enum Interest {
    /// What the subscription service keeps: the type, the predicate's format, and whether the user may see own records only.
    case known(RecordTypeSchema, predicate: String, ownOnly: Bool)
    /// Why nobody can have it.
    case refused(ServerError)

    /// Its type, unless that is watched.
    var unwatchedType: RecordTypeID? {
        if case .known(let type, _, _) = self, !type.isWatched { type.id } else { nil }
    }
}

/// Checks the questions of a user by a schema.
struct InterestJudge {
    /// Bytes of a predicate's format: it is kept for each subscription and matched with each change.
    static let maxPredicateBytes = 16_384

    let resolver: QueryResolver
    let place: QueryResolver.Place
    /// The errors of the zones that are not there, by name.
    let missingZones: [ZoneName: ServerError]

    /// What becomes of `question`. Its error names the type.
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

    /// The canonical format of a predicate, which can be read again.
    private static func format(_ predicate: Predicate) throws(ServerError) -> String {
        let format = predicate.format
        let bytes = format.utf8.count
        guard bytes <= maxPredicateBytes else {
            throw ServerError(
                .predicateTooLarge,
                "The predicate of a subscription has \(bytes) bytes as a format, and may have \(maxPredicateBytes)",
                field: "filterBy", limit: maxPredicateBytes, actual: bytes)
        }
        guard (try? Predicate(format: format, now: 0)) != nil else {
            throw .predicateNotSupported("The predicate cannot be kept: no format says the same", field: "filterBy")
        }
        return format
    }
}
