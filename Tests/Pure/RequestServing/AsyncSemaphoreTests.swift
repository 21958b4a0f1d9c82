import RequestServing
import Synchronization
import Testing

struct AsyncSemaphoreTests {
    @Test func admitsAFixedNumberAtOnceAndAllInTheEnd() async {
        let semaphore = AsyncSemaphore(permits: 3)
        let inside = Mutex((now: 0, most: 0))
        await withTaskGroup { group in
            for _ in 0..<50 {
                group.addTask { @Sendable in
                    await semaphore.withPermit {
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
