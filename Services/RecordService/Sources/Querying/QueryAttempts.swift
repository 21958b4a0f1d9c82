internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitSchema
internal import CloudKitWire
internal import PostgresClient
internal import RecordStorage
internal import RequestServing
internal import ServiceMessages

/// Runs a query with the cached zones and schema, and runs it again if these turn out to be outdated.
struct QueryAttempts: Sendable {
    let source: QuerySource
    let context: RequestContext

    /// A plan, and the resolver that made it.
    struct Attempt {
        let resolver: QueryResolver
        let plan: QueryPlan
    }

    /// Answers a query.
    ///
    /// - Parameter run: creates the answer from a plan.
    /// - Throws: any error from `run` or from planning, or `ZONE_BUSY` when the zone or the schema changed during every
    ///   attempt.
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
            } catch let error as ServerError where Self.mayNeedNewerSchema(error) {
                // Another instance might have added the type or the field to the schema.
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
                throw ServerError(.zoneBusy, "The zone or its schema changed repeatedly while the zone was being read")
            }
            return try await answer(query, scope, attempts: attempts - 1, run)
        }
    }

    private static func mayNeedNewerSchema(_ error: ServerError) -> Bool {
        [.recordTypeNotFound, .fieldNotFound].contains { (code: ReasonCode) in code.rawValue == error.reasonCode }
    }
}
