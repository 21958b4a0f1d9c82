import Foundation
import ServiceMessages
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

struct FairShareTests {
    @Test(arguments: 1...20) func everyShardIsOneInstancesAndSharesAreEven(count: Int) {
        let alive = (0..<count).map { _ in UUID() }
        let shares = alive.map { id in
            (0..<RoutingKey.shardCount).filter { FairShare(of: id, among: alive).has($0) }
        }
        #expect(shares.flatMap { $0 }.sorted() == Array(0..<RoutingKey.shardCount))
        let sizes = shares.map(\.count)
        #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
    }

    @Test func anInstanceThatIsNotAmongThemHasNoShare() {
        let share = FairShare(of: UUID(), among: [UUID(), UUID()])
        #expect(!(0..<RoutingKey.shardCount).contains { share.has($0) })
    }
}
