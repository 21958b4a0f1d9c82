internal import CloudKitModel
internal import Foundation
internal import Logging
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// Ensures that users are notified only of records that they are still allowed to read.
///
/// Each change carries its environment's rights number. A subscription stores the rights number at which its user's
/// rights were last checked. A subscription is checked again only when it is about to fire for a change with a higher
/// number. The check asks the record service on behalf of the subscription's user. Therefore, withdrawing a right costs
/// nothing at first, and later costs one question for each user whose subscriptions match.
struct RightsCheck: Sendable {
    /// The read rights that were found for the changes of one batch. The subscriptions of the batch were read earlier
    /// and still contain the previous rights.
    struct Cache {
        fileprivate var rights: [Key: RightsTable.ReadRights] = [:]
    }

    /// The values that determine a user's read rights.
    fileprivate struct Key: Hashable {
        let environment: Int32
        let user: String
        let recordType: String
        /// The environment's rights number.
        let rights: Int64
    }

    /// The error thrown when the record service asks its caller to retry later.
    struct Postponed: Error {}

    /// The maximum number of users who are checked concurrently.
    private static let maxQuestions = 16
    /// The number of entries above which a batch's cache is emptied. The entries are also in the database.
    private static let maxCached = 10_000
    /// The maximum number of attempts to get an answer if the record service fails with an internal error.
    private static let maxAttempts = 3
    /// The number of postponements after which a check is abandoned, so that other zones can continue.
    private static let maxPostponements = 3
    /// The pause before a question is repeated. It is needed because a record service that is overloaded or shutting
    /// down answers immediately.
    private static let pause = Duration.seconds(1)

    let table: RightsTable
    let interests: InterestCheck
    let retry: DatabaseRetry
    let clock: any Clock<Duration>
    let logger: Logger

    /// Returns `subscriptions`, all of which query the same record type, with the read rights that apply to a change. A
    /// subscription is left out if it was deleted, or if an internal error, which is logged, prevented the check.
    ///
    /// - Throws: ``Postponed`` if the record service asks for a later retry, `ServiceStopping` if the service is
    ///   shutting down, or `INTERNAL_ERROR` for a defect.
    func current(
        _ subscriptions: [StoredSubscription], for change: ZoneChange, _ cache: inout Cache
    ) async throws -> [StoredSubscription] {
        guard let rights = change.event.rights, subscriptions.contains(where: { $0.rights < rights }) else {
            return subscriptions
        }
        if cache.rights.count > Self.maxCached { cache = Cache() }
        var unknown: [Key: [StoredSubscription]] = [:]
        for subscription in subscriptions where subscription.rights < rights {
            let key = Key(subscription, rights)
            if cache.rights[key] == nil { unknown[key, default: []].append(subscription) }
        }
        let found = try await check(unknown.map { ($0.key, $0.value) }, in: change.event.address)
        cache.rights.merge(found) { _, new in new }
        let known = cache.rights
        return subscriptions.compactMap { subscription in
            guard subscription.rights < rights else { return subscription }
            guard let rights = known[Key(subscription, rights)], case .query(var query) = subscription.kind else {
                return nil
            }
            (query.ownOnly, query.isDenied, query.rights) = (rights.ownOnly, rights.isDenied, rights.rights)
            var current = subscription
            current.kind = .query(query)
            return current
        }
    }

    private func check(
        _ unknown: [(key: Key, subscriptions: [StoredSubscription])], in zone: ZoneAddress
    ) async throws -> [Key: RightsTable.ReadRights] {
        guard !unknown.isEmpty else { return [:] }
        let ids = unknown.flatMap { $0.subscriptions.map(\.id) }
        let queries = try await retry.run(deadline: nil) { try await table.queries(of: ids) }
        var found: [Key: RightsTable.ReadRights] = [:]
        for start in stride(from: 0, to: unknown.count, by: Self.maxQuestions) {
            try await withThrowingTaskGroup(of: (Key, RightsTable.ReadRights)?.self) { group in
                for (key, subscriptions) in unknown[start..<min(start + Self.maxQuestions, unknown.count)] {
                    // A user's read rights to a type are the same for all of the user's queries.
                    guard let query = subscriptions.lazy.compactMap({ queries[$0.id]?.query }).first else { continue }
                    let ownOnly = subscriptions.contains { $0.readsOwnOnly }
                    group.addTask { try await ask(key, query, ownOnly, in: zone).map { (key, $0) } }
                }
                for try await rights in group { if let rights { found[rights.0] = rights.1 } }
            }
        }
        let entries = unknown.flatMap { key, subscriptions in
            subscriptions.compactMap { subscription in
                found[key].flatMap { rights in
                    queries[subscription.id].map { (id: subscription.id, version: $0.version, rights: rights) }
                }
            }
        }
        if !entries.isEmpty { try await retry.run(deadline: nil) { try await table.save(entries) } }
        return found
    }

    /// Asks the record service for a user's read rights to a type. Returns nil if the record service fails because of
    /// an internal error.
    ///
    /// - Throws: ``Postponed``, `ServiceStopping`.
    private func ask(_ key: Key, _ query: WatchedQuery, _ ownOnly: Bool, in zone: ZoneAddress) async throws
        -> RightsTable.ReadRights?
    {
        // The zone is left out, because its existence is not a right: a deleted zone can be created again.
        var query = query
        query.zoneID = nil
        var (attempts, postponements) = (0, 0)
        while true {
            let error: ServerError
            do {
                switch try await interests.announce([query], of: key.user, in: zone)[0] {
                case .success(let interest):
                    // The checked rights can be newer than the rights of the change, but never older.
                    return RightsTable.ReadRights(
                        ownOnly: interest.ownOnly, isDenied: false, rights: max(key.rights, interest.rights ?? 0))
                case .failure(let refused): error = refused
                }
            } catch let refused as ServerError {
                error = refused
            }
            switch error.code {
            case .accessDenied, .authenticationRequired, .notFound:
                return RightsTable.ReadRights(ownOnly: false, isDenied: true, rights: key.rights)
            case .tryAgainLater, .throttled:
                postponements += 1
                if postponements == Self.maxPostponements { throw Postponed() }
            case .badRequest:
                // The rights have not changed, but the fields that the query compares have. Matching handles this case.
                return RightsTable.ReadRights(ownOnly: ownOnly, isDenied: false, rights: key.rights)
            default: attempts += 1
            }
            guard attempts < Self.maxAttempts else {
                logger.error(
                    "a user's read rights cannot be determined", metadata: ["error": "\(error.logDescription)"])
                return nil
            }
            do {
                try await clock.sleep(for: Self.pause)
            } catch {
                throw ServiceStopping()
            }
        }
    }
}

extension RightsCheck.Key {
    fileprivate init(_ subscription: StoredSubscription, _ rights: Int64) {
        self.init(
            environment: subscription.environment, user: subscription.user, recordType: subscription.recordType ?? "",
            rights: rights)
    }
}

extension StoredSubscription {
    /// Returns whether the user's read rights were checked at a change's rights number or a higher one.
    func isChecked(by rights: Int64?) -> Bool { rights.map { self.rights >= $0 } ?? true }

    /// The rights number at which the user's rights were last checked.
    fileprivate var rights: Int64 { if case .query(let query) = kind { query.rights } else { .max } }

    fileprivate var readsOwnOnly: Bool { if case .query(let query) = kind { query.ownOnly } else { false } }
}
