internal import CloudKitModel
internal import Foundation
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// Finds the query subscriptions whose queries match changed records.
struct QueryMatcher: Sendable {
    let table: MatchingTable
    let predicates: PredicateCache
    let rights: RightsCheck
    let retry: DatabaseRetry

    /// The work, in the unit of ``MatchingBudget``, after which matching yields to other tasks.
    private static let turn = 64 << 10

    /// Reads the query subscriptions that might match the records of changes. No subscription can match a record
    /// without values. Takes two round trips, regardless of the number of records.
    ///
    /// - Throws: `ServiceStopping` if the service is shutting down; `INTERNAL_ERROR` for a defect.
    func candidates(in changes: [ZoneChange]) async throws -> QueryCandidates {
        var candidates = QueryCandidates(changes)
        let places = Array(candidates.places)
        guard !places.isEmpty else { return candidates }
        let keys = try await retry.run(deadline: nil) { try await table.keys(of: places) }
        let probes = candidates.probes(keys: keys)
        candidates.pages = try await retry.run(deadline: nil) { try await table.querySubscriptions(of: probes) }
        return candidates
    }

    /// Calls `body` with each query subscription that fires for a record, provided that its user is allowed to read the
    /// record under the rights of the change. The subscriptions are read page by page, because together they might not
    /// fit in memory.
    ///
    /// - Throws: the same errors as ``candidates(in:)``, ``RightsCheck/Postponed``, and any error that `body` throws.
    func eachFiring(
        for change: ZoneChange, _ record: QueryCandidates.Record, among candidates: QueryCandidates,
        _ rights: inout RightsCheck.Cache, _ body: (StoredSubscription) async throws -> Void
    ) async throws {
        var work = 0
        for (probe, first) in candidates.firstPages(of: record) {
            var page = first
            var after: UUID?
            while true {
                var matching: [StoredSubscription] = []
                for subscription in page.subscriptions {
                    work += subscription.work(on: record.values)
                    if work > Self.turn {
                        await Task.yield()
                        work = 0
                    }
                    if fires(subscription, for: change, record) { matching.append(subscription) }
                }
                for subscription in try await self.rights.current(matching, for: change, &rights) {
                    guard case .query(let query) = subscription.kind, !query.isDenied else { continue }
                    if query.ownOnly, record.values.createdUserRecordName != subscription.user { continue }
                    try await body(subscription)
                }
                guard !page.isLast else { break }
                after = page.subscriptions.last?.id ?? after
                page = try await retry.run(deadline: nil) { [after] in
                    try await table.querySubscriptions(of: [probe], after: after)[probe] ?? MatchingTable.QueryPage()
                }
            }
        }
    }

    /// Returns the work of matching a change's records. Only if the known work is within ``MatchingBudget/shared``,
    /// determines whether users' rights have to be checked.
    func work(
        of records: [QueryCandidates.Record], for change: ZoneChange, among candidates: QueryCandidates
    ) -> MatchingWork {
        var work = candidates.work(of: records)
        guard !work.isOpenEnded, work.known <= MatchingBudget.shared.work else { return work }
        work.isOpenEnded = records.contains { record in
            candidates.firstPages(of: record).lazy.flatMap(\.page.subscriptions).contains {
                !$0.isChecked(by: change.event.rights) && fires($0, for: change, record)
            }
        }
        return work
    }

    private func fires(_ subscription: StoredSubscription, for change: ZoneChange, _ record: QueryCandidates.Record)
        -> Bool
    {
        guard case .query(let query) = subscription.kind, subscription.isActive(for: change.event.xid),
            query.firesOn.contains(FiringEvents(record.change.kind)),
            query.zoneName.map({ ZoneName(unchecked: $0) == change.event.address.zone }) ?? true
        else { return false }
        return predicates.matches(
            query.predicate, record.values, user: subscription.user, environment: subscription.environment)
    }
}

/// The records with values in a batch of changes, and the first page of query subscriptions for each term of these
/// records.
struct QueryCandidates: Sendable {
    /// A record of a change.
    struct Record: Sendable {
        let change: ChangedRecord
        let values: EventRecord
        fileprivate let place: MatchingTable.QueryPlace
        fileprivate var probes: [MatchingTable.QueryProbe] = []
    }

    /// The records of each change, in the order of the changes.
    private(set) var records: [[Record]]
    fileprivate var pages: [MatchingTable.QueryProbe: MatchingTable.QueryPage] = [:]

    /// Collects the records of `changes` that have values.
    init(_ changes: [ZoneChange]) {
        records = changes.map { change in
            (change.records ?? []).compactMap { record in
                // A record that cannot be parsed is a defect, which must not block the shard.
                guard let values = try? EventRecord(record, zone: change.event.address.zone.rawValue) else {
                    return nil
                }
                let place = MatchingTable.QueryPlace(change.event.address, recordType: record.type)
                return Record(change: record, values: values, place: place)
            }
        }
    }

    /// Returns the work of matching a change's records.
    fileprivate func work(of records: [Record]) -> MatchingWork {
        var work = MatchingWork()
        for record in records {
            for (_, page) in firstPages(of: record) {
                if !page.isLast { work.isOpenEnded = true }
                // The work of a page that was cut short is unknown, so its change is matched alone.
                if page.isCut { work.known += MatchingBudget.alone.work }
                for subscription in page.subscriptions {
                    work.known += subscription.work(on: record.values)
                }
            }
        }
        return work
    }

    /// Returns the first pages of the subscriptions that might match a record.
    fileprivate func firstPages(of record: Record) -> [(probe: MatchingTable.QueryProbe, page: MatchingTable.QueryPage)]
    {
        record.probes.compactMap { probe in pages[probe].map { (probe, $0) } }
    }

    fileprivate var places: Set<MatchingTable.QueryPlace> { Set(records.joined().map(\.place)) }

    /// Returns the look-ups for all records, without duplicates.
    fileprivate mutating func probes(keys: [MatchingTable.QueryPlace: Set<Int64>]) -> [MatchingTable.QueryProbe] {
        var all: Set<MatchingTable.QueryProbe> = []
        for change in records.indices {
            for index in records[change].indices {
                let record = records[change][index]
                let probes = EqualityTerm.terms(of: record.values, keys: keys[record.place] ?? [])
                    .map { MatchingTable.QueryProbe(place: record.place, term: $0) }
                records[change][index].probes = probes
                all.formUnion(probes)
            }
        }
        return Array(all)
    }
}

extension StoredSubscription {
    /// Returns the work of comparing a record with the subscription's predicate.
    fileprivate func work(on record: EventRecord) -> Int {
        guard case .query(let query) = kind else { return 0 }
        return MatchingWork.comparison(predicateBytes: query.predicate.utf8.count, recordBytes: record.size)
    }
}
