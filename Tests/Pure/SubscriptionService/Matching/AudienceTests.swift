import Foundation
import Testing

@testable import SubscriptionService

/// Who hears of a change, and the cache of audiences.
struct AudienceTests {
    @Test(
        arguments: [
            // since, until, lost, from, to, expected
            (3, nil, nil, 1, 2, nil), (3, nil, nil, 1, 3, "changes"), (3, nil, nil, 4, 5, "listens"),
            (3, 7, nil, 4, 6, "listens"), (3, 7, nil, 6, 7, "changes"), (3, 7, nil, 8, 9, nil), (3, 7, nil, 1, 2, nil),
            // The user was removed by change 3 and accepted again by change 7.
            (7, 3, 3, 2, 3, "changes"), (7, 3, 3, 4, 6, nil), (7, 3, 3, 7, 7, "changes"), (7, 3, 3, 8, 9, "listens"),
            // Then the user was removed once more, by change 12.
            (7, 12, 3, 2, 4, "changes"), (7, 12, 3, 4, 6, nil), (7, 12, 3, 8, 11, "listens"), (7, 12, 3, 13, 14, nil),
            // Merged changes: access was lost and gained, gained and lost, or both several times.
            (7, 3, 3, 1, 9, "changes"), (7, 12, 3, 6, 13, "changes"), (7, 12, 3, 1, 20, "changes"),
            // It is not known how long the user had access before change 3.
            (7, 12, 3, 1, 2, nil),
        ] as [(Int64, Int64?, Int64?, Int64, Int64, String?)])
    func accessDecidesWhatIsHeard(
        since: Int64, until: Int64?, lost: Int64?, from: Int64, to: Int64, expected: String?
    ) {
        let member = Audience.Member(user: "_u", since: since, until: until, lost: lost)
        #expect(member.hearing(of: from...to).map { "\($0)" } == expected)
    }

    private static let incarnation = UUID()

    private static func key(_ share: Int64, _ version: Int64) -> AudienceCache.Key {
        AudienceCache.Key(incarnation: incarnation, share: share, version: version)
    }

    @Test func theCacheKeepsWhatIsUsedAndHasABound() {
        let cache = AudienceCache(maxWeight: 20)
        for share in 1...100 as ClosedRange<Int64> {
            cache.add(Audience(fromSeq: 1), for: Self.key(share, 1))
            _ = cache.audience(Self.key(1, 1), from: 1)
        }
        #expect(cache.audience(Self.key(1, 1), from: 1) != nil)
        #expect(cache.audience(Self.key(100, 1), from: 1) != nil)
        #expect((1...100 as ClosedRange<Int64>).count { cache.audience(Self.key($0, 1), from: 1) != nil } <= 21)
    }

    @Test func anAudienceThatLacksFormerParticipantsIsNotUsedForEarlierChanges() {
        let cache = AudienceCache()
        cache.add(Audience(fromSeq: 5), for: Self.key(1, 1))
        #expect(cache.audience(Self.key(1, 1), from: 4) == nil)
        #expect(cache.audience(Self.key(1, 1), from: 5) != nil)
        #expect(cache.audience(Self.key(1, 2), from: 5) == nil)
    }

    @Test func theAudiencesOfAZoneAreRemoved() {
        let cache = AudienceCache(maxWeight: 20)
        let other = AudienceCache.Key(incarnation: UUID(), share: 1, version: 1)
        for share in 1...15 as ClosedRange<Int64> { cache.add(Audience(fromSeq: 1), for: Self.key(share, 1)) }
        cache.add(Audience(fromSeq: 1), for: other)
        cache.remove(of: [Self.incarnation])
        #expect((1...15 as ClosedRange<Int64>).allSatisfy { cache.audience(Self.key($0, 1), from: 1) == nil })
        #expect(cache.audience(other, from: 1) != nil)
    }
}
