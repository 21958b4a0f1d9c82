internal import CloudKitModel
internal import Foundation
internal import Logging
internal import RequestServing
internal import ServiceMessages
internal import SubscriptionStorage

/// Determines which share participants are notified of changes. Small audiences are cached. Others are read from the
/// record service in parts, which can take a long time; a zone whose audiences are not cached is therefore delivered
/// separately from the others.
struct AudienceCheck: Sendable {
    /// The participants of a part, with all shares of each user that the changes touch.
    struct Part: Sendable {
        /// The participants, ordered by user.
        var rows: [AudiencePage.Row]
        /// The place from which the next part continues; nil after the last part.
        var next: AudiencePage.Place?
    }

    /// The maximum number of cached rows in a part. The record service's pages are of the same size.
    private static let maxCachedRows = 500

    let client: AudienceClient
    let cache: AudienceCache
    let logger: Logger

    /// Returns the participants in the shares that a change touches; nil if some of them are not cached.
    func cached(_ change: ZoneChange) -> [AudiencePage.Row]? { cached([change]) }

    /// Returns the part of the participants in the shares that changes of one zone touch, after `place`. Takes one
    /// request to the record service unless all audiences are cached, and more only if a user is in more shares than
    /// fit in a page. An audience that fits in the first page is added to the cache.
    ///
    /// - Parameter changes: at least one change that touches shares, in order.
    /// - Throws: ``RightsCheck/Postponed`` if the record service refuses a request or does not answer within 5 s, or
    ///   `ServiceStopping`.
    func part(of changes: [ZoneChange], after place: AudiencePage.Place) async throws -> Part {
        if let rows = cached(changes) {
            let rest = rows.sorted { $0.member.user < $1.member.user }.drop { $0.member.user <= place.user }
            return Part(page: AudiencePage(rows: Array(rest), next: nil)).prefix(Self.maxCachedRows)
        }
        guard let from = changes.first?.fromSeq else { return Part(rows: []) }
        let shares = changes.contains(where: \.touchesAllShares) ? nil : Set(changes.flatMap(\.touchedShares))
        var page = AudiencePage(rows: [], next: place)
        repeat {
            let more = try await ask(shares, of: changes[0].incarnation, from: from, after: page.next ?? place)
            page = AudiencePage(rows: page.rows + more.rows, next: more.next)
        } while page.endsWithinItsOnlyUser
        if place == .start, page.next == nil, let shares { keep(page.rows, of: shares, changes, from: from) }
        return Part(page: page)
    }

    private func ask(
        _ shares: Set<Int64>?, of incarnation: UUID, from seq: Int64, after place: AudiencePage.Place
    ) async throws -> AudiencePage {
        do {
            return try await client.page(of: shares, in: incarnation, from: seq, after: place)
        } catch let error as ServerError {
            logger.warning(
                "the participants of a share cannot be read; their notifications wait",
                metadata: ["error": "\(error.logDescription)"])
            throw RightsCheck.Postponed()
        }
    }

    /// Returns the participants in the shares that changes touch; nil if some of them are not cached. If the changes
    /// name several versions of an audience, the latest version is valid for all of them.
    private func cached(_ changes: [ZoneChange]) -> [AudiencePage.Row]? {
        guard let first = changes.first, let keys = AudienceCache.Key.latest(in: changes) else { return nil }
        var rows: [AudiencePage.Row] = []
        for key in keys {
            guard let audience = cache.audience(key, from: first.fromSeq) else { return nil }
            rows += audience.members.map { AudiencePage.Row(share: key.share, member: $0) }
        }
        return rows
    }

    private func keep(_ rows: [AudiencePage.Row], of shares: Set<Int64>, _ changes: [ZoneChange], from seq: Int64) {
        guard let keys = AudienceCache.Key.latest(in: changes) else { return }
        let members = Dictionary(grouping: rows, by: \.share).mapValues { $0.map(\.member) }
        for key in keys { cache.add(Audience(members: members[key.share] ?? [], fromSeq: seq), for: key) }
    }
}

extension AudienceCache.Key {
    /// The latest versions that changes of one zone name of the audiences that they touch; nil if a change does not
    /// name all of them.
    fileprivate static func latest(in changes: [ZoneChange]) -> [AudienceCache.Key]? {
        var versions: [Int64: Int64] = [:]
        for change in changes {
            guard !change.touchesAllShares else { return nil }
            for share in change.touchedShares {
                guard let version = change.event.shares?.versions[share] else { return nil }
                versions[share] = max(version, versions[share] ?? version)
            }
        }
        return versions.map { AudienceCache.Key(incarnation: changes[0].incarnation, share: $0.key, version: $0.value) }
    }
}

extension AudiencePage {
    /// Whether the page contains only a part of one user's shares.
    fileprivate var endsWithinItsOnlyUser: Bool {
        guard let next, let first = rows.first?.member.user else { return false }
        return first == rows.last?.member.user && first == next.user
    }
}

extension AudienceCheck.Part {
    /// Creates the part with the users of whom a page contains all shares.
    fileprivate init(page: AudiencePage) {
        (rows, next) = (page.rows, page.next)
        // The next page may contain more shares of the last user.
        guard let last = rows.last?.member.user, last == next?.user else { return }
        rows = Array(rows.prefix { $0.member.user != last })
        next = rows.last.map { .end(of: $0.member.user) } ?? next
    }

    /// Returns the first users of the part, who together have at least `count` rows, or all users if there are fewer rows.
    fileprivate func prefix(_ count: Int) -> AudienceCheck.Part {
        guard rows.count > count else { return self }
        let last = rows[count - 1].member.user
        return AudienceCheck.Part(
            rows: Array(rows.prefix { $0.member.user <= last }), next: .end(of: last))
    }
}
