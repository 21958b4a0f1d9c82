internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitSchema
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// Plans a query by what is remembered of zones and schema, and once more where that turned out to be old.
struct QueryAttempts: Sendable {
    let source: QuerySource
    let context: RequestContext

    /// A plan, and what made it.
    struct Attempt {
        let resolver: QueryResolver
        let plan: QueryPlan
    }

    /// The answer to a query: what `run` makes of its plan.
    ///
    /// - Throws: what `run` and planning throw.
    func answer(
        _ query: Query, _ scope: QueryScope, attempts: Int = 5, _ run: (Attempt) async throws -> Answer
    ) async throws -> Answer {
        let resolver = QueryResolver(source: source, context: context)
        let place = try await resolver.place(scope)
        let environment = place.environment
        do {
            let schema = try await source.schema.latest(environment)
            do {
                return try await run(
                    Attempt(resolver: resolver, plan: try await resolver.plan(query, in: place, schema)))
            } catch let error as ServerError where Self.mayBeUnlearnt(error) {
                // Another instance may have learnt the type or the field.
                let newer = try await source.pool.withConnection {
                    try await source.schema.load(environment, on: $0)
                }
                return try await run(
                    Attempt(resolver: resolver, plan: try await resolver.plan(query, in: place, newer)))
            }
        } catch let stale as QueryRunner.Stale {
            if stale == .zone { source.directory.forgetZones(of: context) }
            _ = try await source.pool.withConnection { try await source.schema.load(environment, on: $0) }
            guard attempts > 1 else {
                throw ServerError(.zoneBusy, "The zone or the schema was changed again and again")
            }
            return try await answer(query, scope, attempts: attempts - 1, run)
        }
    }

    private static func mayBeUnlearnt(_ error: ServerError) -> Bool {
        [.recordTypeNotFound, .fieldNotFound].contains { (code: ReasonCode) in code.rawValue == error.reasonCode }
    }
}
