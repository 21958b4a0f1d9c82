internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// `interests.set`, for the subscription service: checks the queries of a user's subscriptions and ensures that changes
/// to records of the queried types are logged with values. `{queries: [{query, zoneID?}]}`, with that user's headers →
/// `{interests: [{recordType, predicate, ownOnly} | error], rights}`, in the order of the queries.
///
/// Each query is checked as in `records.query`. From then on, its type is *watched*: changes to the type's records in
/// the environment are logged with their values. Three things ensure that this holds for every change that any instance
/// commits after the answer has been sent:
///
/// - Every writer of the log (``WriteTransaction``, ``CascadeJob``) takes ``SchemaLock/shared(_:)`` before it reads the
///   schema's version, and holds the lock until its commit. It uses the schema of that version, and reads it again if
///   it has cached another version.
/// - `watched_at` and a new version are written under ``SchemaLock/exclusive(_:)``. The lock is granted after all
///   writers that began with the earlier version have committed or rolled back; a writer that begins later waits for
///   the lock and reads the new version.
/// - The answer is based on a committed state of the schema in which all types that the answer names are watched.
///
/// A type stays watched until the container is deleted. A type that is created again after a reset of its environment
/// is watched from its first record on (`record.watched_type`), because subscriptions outlive a reset.
struct InterestsOperation: Sendable {
    let source: QuerySource
    /// The connections for statements that write.
    let pool: PostgresPool

    func answer(_ request: OpenedRequest) async throws -> Answer {
        let context = request.context
        let body = try JSONValue(parsing: request.delivery.body)
        guard let elements = body["queries"]?.array else { throw ServerError.missingKey("queries") }
        let limit = source.limits.maxOperationsPerRequest
        guard elements.count <= limit else {
            throw ServerError.tooMany("queries", limit: limit, actual: elements.count)
        }
        let questions = elements.map { InterestQuestion($0, for: context) }
        let missing = try await source.directory.missing(among: questions.compactMap(\.zoneID), for: context)
        let (environment, isProduction) = try await source.directory.environment(for: context)
        let judge = InterestChecker(
            resolver: QueryResolver(source: source, context: context),
            place: QueryResolver.Place(environment: environment, isProduction: isProduction, zones: []),
            missingZones: missing)
        var schema = try await pool.withConnection { try await source.schema.load(environment, on: $0) }
        while true {
            let interests = questions.map { judge.interest($0, schema) }
            let unwatched = Set(interests.compactMap(\.unwatchedType))
            guard !unwatched.isEmpty else { return answer(interests, schema) }
            schema = try await watch(Array(unwatched), in: environment)
        }
    }

    /// Marks types as watched.
    ///
    /// - Returns: the resulting schema, in which types and fields might also have been added or removed in the
    ///   meantime.
    private func watch(_ types: [RecordTypeID], in environment: EnvironmentRow) async throws -> EnvironmentSchema {
        try await pool.withTransaction { connection in
            let results = try await connection.pipeline(
                [SchemaLock.exclusive(environment)] + SchemaTable.watch(types, in: environment)
                    + [EnvironmentSchema.read(environment)])
            // The schema store is not used, because it caches every schema that it reads, and this transaction might be
            // rolled back.
            guard let schema = results.last.flatMap({ EnvironmentSchema($0) }) else {
                throw PostgresError.environmentGone
            }
            return schema
        }
    }

    private func answer(_ interests: [Interest], _ schema: EnvironmentSchema) -> Answer {
        Answer { writer in
            writer.key("interests")
            writer.array(interests) { writer, interest in
                switch interest {
                case .known(let type, let predicate, let ownOnly):
                    writer.object { writer in
                        writer.member("recordType", type.name)
                        writer.member("predicate", predicate)
                        writer.member("ownOnly", ownOnly)
                    }
                case .refused(let error): writer.itemError(error)
                }
            }
            writer.member("rights", schema.rights)
        }
    }
}
