internal import AMQPClient
internal import CloudKitModel
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// `interests.set`, for the subscription service: a user wants to know the changes that queries find. `{queries:
/// [{query, zoneID?}]}`, with the headers of that user → `{interests: [{recordType, predicate, ownOnly} | error],
/// rights}`, in order.
///
/// Each query is checked as `records.query` checks it, and its type is *watched* from then on: changes of the type's
/// records in the environment are logged with their values. This holds for every change that is committed after the
/// answer was sent, at any instance:
///
/// - Every writer of the log (``WriteTransaction``, ``CascadeJob``) holds ``SchemaLock/shared(_:)`` from before it
///   reads the schema's version until its commit, and uses the schema of that version, which it reads again if it
///   remembers another one.
/// - `watched_at` and a new version are written under ``SchemaLock/exclusive(_:)``. The lock is granted when all
///   writers that began with the earlier version have committed or rolled back; a writer that begins later waits for it
///   and reads the new version.
/// - The answer is made from a committed reading in which all types that it names are watched.
///
/// A type stays watched until the container is deleted. A type that is created again after a reset of its environment
/// is watched from its first record on (`record.watched_type`), because subscriptions outlive a reset.
struct InterestsOperation: Sendable {
    let source: QuerySource
    /// The connections that may write.
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

    /// Has types watched.
    ///
    /// - Returns: the schema afterwards, in which types and fields may have been added or removed.
    private func watch(_ types: [RecordTypeID], in environment: EnvironmentRow) async throws -> EnvironmentSchema {
        try await pool.withTransaction { connection in
            let results = try await connection.pipeline(
                [SchemaLock.exclusive(environment)] + SchemaTable.watch(types, in: environment)
                    + [EnvironmentSchema.read(environment)])
            // (Not the schema store's, which remembers what it reads: the transaction may be rolled back.)
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
