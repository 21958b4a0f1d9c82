internal import CloudKitModel
internal import Foundation
internal import RequestServing
internal import ServiceMessages

/// Sees to it that nobody hears of records that they may not read any more.
///
/// Rights are a number that each change carries; a subscription keeps the one by which its query was judged. Only one that
/// is about to fire for a change with a larger number asks again, with its user's eyes. So to take a right away costs
/// nothing at once, and one question for each subscription that it may concern.
struct WatcherRights: Sendable {
    /// Users who are asked for at once.
    private static let maxQuestions = 16

    let table: RightsTable
    let interests: InterestCheck
    let trouble: DatabaseTrouble

    /// Query watchers as they stand by the rights of a change.
    ///
    /// - Throws: ``Withheld`` when the service is ending; `INTERNAL_ERROR` for a mistake of ours.
    func current(_ watchers: [Watcher], for change: ZoneChange) async throws -> [Watcher] {
        guard let rights = change.event.rights else { return watchers }
        let stale = watchers.filter { $0.rights < rights }
        guard !stale.isEmpty else { return watchers }
        let queries = try await trouble.outlast(deadline: nil) { try await table.queries(of: stale.map(\.id)) }
        let users = Array(Dictionary(grouping: stale, by: \.user))
        var judgements: [UUID: RightsTable.Judgement] = [:]
        for start in stride(from: 0, to: users.count, by: Self.maxQuestions) {
            let asked = users[start..<min(start + Self.maxQuestions, users.count)]
            try await withThrowingTaskGroup(of: [UUID: RightsTable.Judgement].self) { group in
                for (user, watchers) in asked {
                    let known = watchers.compactMap { watcher in queries[watcher.id].map { (watcher.id, $0) } }
                    group.addTask { try await judge(known, of: user, in: change.event.address, at: rights) }
                }
                for try await judged in group { judgements.merge(judged) { first, _ in first } }
            }
        }
        let kept = judgements
        try await trouble.outlast(deadline: nil) { try await table.keep(kept) }
        return watchers.map { watcher in
            guard let judgement = kept[watcher.id], case .query(var query) = watcher.kind else { return watcher }
            (query.ownOnly, query.isDenied) = (judgement.ownOnly, judgement.isDenied)
            query.rights = judgement.rights
            var judged = watcher
            judged.kind = .query(query)
            return judged
        }
    }

    /// Asks until the record service answers.
    private func judge(
        _ queries: [(id: UUID, query: WatchedQuery)], of user: String, in zone: ZoneAddress, at rights: Int64
    ) async throws -> [UUID: RightsTable.Judgement] {
        while true {
            do {
                let interests = try await interests.announce(queries.map(\.query), of: user, in: zone)
                for case .failure(let error) in interests where error.isPassing { throw error }
                return Dictionary(
                    zip(queries, interests).map { query, interest in
                        (query.id, RightsTable.Judgement(interest, at: rights))
                    }, uniquingKeysWith: { first, _ in first })
            } catch let error as ServerError {
                // An answer it is only when it says why.
                guard !error.isPassing else {
                    try await Task.sleep(for: .seconds(1))
                    continue
                }
                // The container is gone.
                let refused = RightsTable.Judgement(.failure(error), at: rights)
                return Dictionary(queries.map { ($0.id, refused) }, uniquingKeysWith: { first, _ in first })
            }
        }
    }
}

extension RightsTable.Judgement {
    /// What an answer means. An answer may be by later rights than the change's, never by earlier ones.
    fileprivate init(_ interest: Result<QueryInterest, ServerError>, at rights: Int64) {
        switch interest {
        case .success(let interest):
            self.init(ownOnly: interest.ownOnly, isDenied: false, rights: max(rights, interest.rights ?? 0))
        case .failure: self.init(ownOnly: false, isDenied: true, rights: rights)
        }
    }
}

extension ServerError {
    /// Whether the same question may be answered later.
    fileprivate var isPassing: Bool {
        [.tryAgainLater, .internalError, .throttled].contains(code)
    }
}

extension Watcher {
    /// The number of the rights by which it was judged.
    fileprivate var rights: Int64 { if case .query(let query) = kind { query.rights } else { .max } }
}
