import Synchronization
import Testing

@testable import SubscriptionService

struct TurnstileTests {
    @Test func onlySoManyAreInsideAtOnceAndAllGetIn() async {
        let turnstile = Turnstile(count: 3)
        let inside = Mutex((now: 0, most: 0))
        await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask { @Sendable in
                    await turnstile.pass {
                        inside.withLock { inside in
                            inside.now += 1
                            inside.most = max(inside.most, inside.now)
                        }
                        for _ in 0..<10 { await Task.yield() }
                        inside.withLock { $0.now -= 1 }
                    }
                }
            }
        }
        #expect(inside.withLock { $0.most } <= 3)
        #expect(inside.withLock { $0.now } == 0)
    }
}
