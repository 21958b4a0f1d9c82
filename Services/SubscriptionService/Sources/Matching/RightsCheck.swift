internal import CloudKitModel
internal import Foundation
internal import Logging
internal import RequestServing
internal import ServiceMessages

/// Sees to it that nobody hears of records that they may not read any more.
///
/// Rights are a number that each change carries; a subscription keeps the one by which its query was judged. Only one that
/// is about to fire for a change with a larger number asks again, with its user's eyes. So to take a right away costs
/// nothing at once, and one question for each user whom it may concern.
struct RightsCheck: Sendable {
    /// What was found out for the changes of one go, since the subscriptions that were read for them do not know it.
    struct Judged {
        fileprivate var verdicts: [Asked: RightsTable.Judgement] = [:]
    }

    /// What a judgement depends on.
    fileprivate struct Asked: Hashable {
        let environment: Int32
        let user: String
        let recordType: String
        let rights: Int64
    }

    /// The record service is to be asked later.
    struct Postponed: Error {}

    /// Users who are asked for at once.
    private static let maxQuestions = 16
    /// Past this many judgements those of a go are forgotten; the database has them.
    private static let maxJudged = 10_000
    /// How often a question is asked that the record service cannot answer by a fault of its own, or ours.
    private static let maxAttempts = 3
    /// How often the record service may answer that it is to be asked later, before others get their turn.
    private static let maxLaters = 3
    /// Between two questions: a record service that ends, or is in trouble, answers at once.
    private static let pause = Duration.seconds(1)

    let table: RightsTable
    let interests: InterestCheck
    let trouble: DatabaseTrouble
    let clock: any Clock<Duration>
    let logger: Logger

    /// Query subscriptions, all of one record type, as they stand by the rights of a change. One that cannot be judged is left
    /// out: it is gone, or nobody can say, which is logged.
    ///
    /// - Throws: ``Postponed`` when the record service is to be asked later; ``Withheld`` when the service is ending;
    ///   `INTERNAL_ERROR` for a mistake of ours.
    func current(_ subscriptions: [StoredSubscription], for change: ZoneChange, _ judged: inout Judged) async throws
        -> [StoredSubscription]
    {
        guard let rights = change.event.rights, subscriptions.contains(where: { $0.rights < rights }) else {
            return subscriptions
        }
        if judged.verdicts.count > Self.maxJudged { judged = Judged() }
        let stale = subscriptions.filter { $0.rights < rights }
        var open: [Asked: [StoredSubscription]] = [:]
        for subscription in stale where judged.verdicts[Asked(subscription, rights)] == nil {
            open[Asked(subscription, rights), default: []].append(subscription)
        }
        let found = try await judge(open.map { ($0.key, $0.value) }, in: change.event.address)
        judged.verdicts.merge(found) { _, new in new }
        let verdicts = judged.verdicts
        return subscriptions.compactMap { subscription in
            guard subscription.rights < rights else { return subscription }
            guard let verdict = verdicts[Asked(subscription, rights)], case .query(var query) = subscription.kind else {
                return nil
            }
            (query.ownOnly, query.isDenied, query.rights) = (verdict.ownOnly, verdict.isDenied, verdict.rights)
            var current = subscription
            current.kind = .query(query)
            return current
        }
    }

    private func judge(_ open: [(asked: Asked, subscriptions: [StoredSubscription])], in zone: ZoneAddress) async throws
        -> [Asked: RightsTable.Judgement]
    {
        guard !open.isEmpty else { return [:] }
        let ids = open.flatMap { $0.subscriptions.map(\.id) }
        let queries = try await trouble.outlast(deadline: nil) { try await table.queries(of: ids) }
        var verdicts: [Asked: RightsTable.Judgement] = [:]
        for start in stride(from: 0, to: open.count, by: Self.maxQuestions) {
            try await withThrowingTaskGroup(of: (Asked, RightsTable.Judgement)?.self) { group in
                for (asked, subscriptions) in open[start..<min(start + Self.maxQuestions, open.count)] {
                    // What a user may read of a type is the same for all of the user's queries.
                    guard let query = subscriptions.lazy.compactMap({ queries[$0.id]?.query }).first else { continue }
                    let ownOnly = subscriptions.contains { $0.readsOwnOnly }
                    group.addTask { try await verdict(asked, query, ownOnly, in: zone).map { (asked, $0) } }
                }
                for try await verdict in group { if let verdict { verdicts[verdict.0] = verdict.1 } }
            }
        }
        let kept = open.flatMap { asked, subscriptions in
            subscriptions.compactMap { subscription in
                verdicts[asked].flatMap { verdict in
                    queries[subscription.id].map { (id: subscription.id, version: $0.version, verdict) }
                }
            }
        }
        if !kept.isEmpty { try await trouble.outlast(deadline: nil) { try await table.keep(kept) } }
        return verdicts
    }

    /// What a user may read of a type. Nil: the record service does not say.
    ///
    /// - Throws: ``Postponed`` when it is to be asked later, ``Withheld``.
    private func verdict(_ asked: Asked, _ query: WatchedQuery, _ ownOnly: Bool, in zone: ZoneAddress) async throws
        -> RightsTable.Judgement?
    {
        // A zone is no right: one that is gone may come again.
        var query = query
        query.zoneID = nil
        var (attempts, laters) = (0, 0)
        while true {
            let error: ServerError
            do {
                switch try await interests.announce([query], of: asked.user, in: zone)[0] {
                case .success(let interest):
                    // By later rights perhaps, never by earlier ones.
                    return RightsTable.Judgement(
                        ownOnly: interest.ownOnly, isDenied: false, rights: max(asked.rights, interest.rights ?? 0))
                case .failure(let refused): error = refused
                }
            } catch let refused as ServerError {
                error = refused
            }
            switch error.code {
            case .accessDenied, .authenticationRequired, .notFound:
                return RightsTable.Judgement(ownOnly: false, isDenied: true, rights: asked.rights)
            case .tryAgainLater, .throttled:
                laters += 1
                if laters == Self.maxLaters { throw Postponed() }
            case .badRequest:
                // The user may read the type as before, and what the query compares has changed: it matches, or not.
                return RightsTable.Judgement(ownOnly: ownOnly, isDenied: false, rights: asked.rights)
            default: attempts += 1
            }
            guard attempts < Self.maxAttempts else {
                logger.error("nobody can say what a user may read", metadata: ["error": "\(error.logDescription)"])
                return nil
            }
            do {
                try await clock.sleep(for: Self.pause)
            } catch {
                throw Withheld()
            }
        }
    }
}

extension RightsCheck.Asked {
    fileprivate init(_ subscription: StoredSubscription, _ rights: Int64) {
        self.init(
            environment: subscription.environment, user: subscription.user, recordType: subscription.recordType ?? "",
            rights: rights)
    }
}

extension StoredSubscription {
    /// Whether what its user may read was decided by `rights`, those of a change, or later ones.
    func isJudged(by rights: Int64?) -> Bool { rights.map { self.rights >= $0 } ?? true }

    /// The number of the rights by which it was judged.
    fileprivate var rights: Int64 { if case .query(let query) = kind { query.rights } else { .max } }

    fileprivate var readsOwnOnly: Bool { if case .query(let query) = kind { query.ownOnly } else { false } }
}
