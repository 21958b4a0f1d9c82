import CloudKitWire
import CommandLineSession
import ServiceMessages

/// Saves the subscriptions of a load, checks which of them exist at the end, and deletes them.
struct MatchSaver: Sendable {
    /// Subscriptions of one user in one database.
    private struct Group: Sendable {
        var user: Int
        var database: Int
        var ids: [String]
    }

    private static let subscriptionsPerRequest = 20
    private static let limit: Duration = .seconds(120)
    /// The maximum time to wait for the deletion of subscriptions that fire once, which are deleted after their
    /// notification.
    private static let listLimit: Duration = .seconds(10)

    /// Sends the requests.
    let requesters: MatchRequesters
    /// Provides the subscriptions, and records their outcomes.
    let book: MatchBook
    /// Counts requests that were refused or never answered.
    let tally: Tally<MatchSaving>

    /// Saves the subscriptions that exist from the beginning. Several users save theirs concurrently.
    func saveEarly() async {
        await withTaskGroup(of: Void.self) { group in
            for some in groups({ !$0.isLate }) { group.addTask { await save(some) } }
        }
    }

    /// Saves the other subscriptions, at times distributed over `duration`.
    func saveLate(over duration: Duration) async {
        let groups = groups { $0.isLate }
        await withTaskGroup(of: Void.self) { group in
            for (position, some) in groups.enumerated() {
                group.addTask {
                    let moment = duration * (Double(position + 1) / Double(groups.count + 1))
                    guard (try? await ContinuousClock().sleep(for: moment)) != nil else { return }
                    await save(some)
                }
            }
        }
    }

    /// Deletes all subscriptions. Failures are ignored, because remaining subscriptions do not affect the result.
    func delete() async {
        await withTaskGroup(of: Void.self) { group in
            for some in groups({ _ in true }) {
                group.addTask {
                    let operations = some.ids.map { id -> JSONValue in
                        ["operationType": "delete", "subscription": ["subscriptionID": .string(id)]]
                    }
                    _ = try? await requesters(some.user, some.database).ask(
                        .subscriptionsModify, ["operations": .array(operations)], limit: Self.limit)
                }
            }
        }
    }

    /// Checks that all subscriptions exist, except those that fire once and have fired.
    ///
    /// - Returns: the ids of the subscriptions that should not exist but do, or that should exist but do not.
    func wronglyListed() async -> [String] {
        let end = ContinuousClock.now + Self.listLimit
        while true {
            let wrong = await wrongNow()
            guard !wrong.isEmpty, ContinuousClock.now < end,
                (try? await ContinuousClock().sleep(for: .milliseconds(200))) != nil
            else { return wrong }
        }
    }

    private func wrongNow() async -> [String] {
        let wanted = book.listed
        var wrong: [String] = []
        for (place, subscriptions) in Dictionary(
            grouping: book.subscriptions, by: { [$0.user, $0.database] })
        {
            let own = subscriptions.filter { wanted[$0.id] != nil }
            do {
                let answer = try await requesters(place[0], place[1]).ask(.subscriptionsList, [:], limit: Self.limit)
                let listed = Set((answer["subscriptions"]?.array ?? []).compactMap { $0["subscriptionID"]?.string })
                wrong += own.map(\.id).filter { listed.contains($0) != wanted[$0] }
            } catch {
                wrong += own.map(\.id)
            }
        }
        return wrong.sorted()
    }

    private func groups(_ isWanted: (MatchedSubscription) -> Bool) -> [Group] {
        let wanted = book.subscriptions.filter(isWanted)
        return Dictionary(grouping: wanted, by: { [$0.user, $0.database] }).sorted {
            $0.key.lexicographicallyPrecedes($1.key)
        }
        .flatMap { place, subscriptions in
            stride(from: 0, to: subscriptions.count, by: Self.subscriptionsPerRequest).map { first in
                let some = subscriptions[first..<min(first + Self.subscriptionsPerRequest, subscriptions.count)]
                return Group(user: place[0], database: place[1], ids: some.map(\.id))
            }
        }
    }

    /// Saves subscriptions, and repeats those that are answered with "try again later".
    private func save(_ group: Group) async {
        let byID = Dictionary(uniqueKeysWithValues: book.subscriptions.map { ($0.id, $0) })
        let end = ContinuousClock.now + Self.limit
        var ids = group.ids
        book.isSending(ids)
        while !ids.isEmpty {
            let operations = ids.compactMap { byID[$0] }.map { subscription -> JSONValue in
                ["operationType": "create", "subscription": subscription.json(book.plan)]
            }
            do throws(RequestFailure) {
                let answer = try await requesters(group.user, group.database).ask(
                    .subscriptionsModify, ["operations": .array(operations)], limit: Self.limit)
                let items = answer["subscriptions"]?.array ?? []
                guard items.count == ids.count else {
                    throw .unanswered(reason: "the answer to subscriptions.modify has too few subscriptions")
                }
                var later: [String] = []
                for (id, item) in zip(ids, items) {
                    guard let refusal = RequestFailure.Refusal(item) else {
                        book.isSaved([id])
                        continue
                    }
                    if refusal.retryAfter != nil, ContinuousClock.now < end {
                        later.append(id)
                    } else {
                        book.isRefused([id])
                        tally.update { $0.note(.refused(refusal)) }
                    }
                }
                ids = later
                guard !ids.isEmpty else { return }
                guard (try? await ContinuousClock().sleep(for: .seconds(1))) != nil else { return }
            } catch {
                tally.update { saving in ids.forEach { _ in saving.note(error) } }
                // If the whole request was refused, the subscriptions do not exist. Otherwise, it is unknown whether
                // they do.
                if case .refused = error { book.isRefused(ids) }
                return
            }
        }
    }
}

/// Subscriptions that could not be saved.
struct MatchSaving: Sendable {
    /// The number of subscriptions.
    var unsaved = 0
    /// The number of failures by code.
    var errors = ErrorCounts()
    /// The reason of the first failure.
    var firstReason: String?

    /// Counts a subscription that was not saved.
    mutating func note(_ failure: RequestFailure) {
        unsaved += 1
        errors.note(failure.code)
        firstReason = firstReason ?? failure.description
    }
}
