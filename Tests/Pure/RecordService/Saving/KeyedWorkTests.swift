import Synchronization
import Testing

@testable import RecordService

@Suite(.timeLimit(.minutes(1))) struct KeyedWorkTests {
    private final class Scene: Sendable {
        let others = Mutex(0)
        let open = Mutex(false)
        let refusals = Mutex(0)
        let served = Mutex<[Int]>([])
    }

    @Test func aKeyThatCannotBeServedHoldsUpNoOther() async {
        let work = KeyedWork<String, Int>(workers: 1, maxItems: 10)
        let scene = Scene()
        work.add([1, 2], for: "held")
        await withDiscardingTaskGroup { group in
            group.addTask {
                await work.run { key, items in
                    if key == "held" {
                        guard scene.open.withLock({ $0 }) else {
                            // The failure of this one causes the request for the next one.
                            let count = scene.refusals.withLock { count in
                                count += 1
                                return count
                            }
                            work.add([count], for: "other \(count)")
                            if count == 1 { work.add([3], for: "held") }
                            return items
                        }
                        scene.served.withLock { $0 += items }
                        work.finish()
                    } else if scene.others.withLock({ count in
                        count += 1
                        return count == 5
                    }) {
                        scene.open.withLock { $0 = true }
                    }
                    return []
                }
            }
        }
        #expect(scene.served.withLock { $0 } == [1, 2, 3])
        #expect(scene.others.withLock { $0 } >= 5)
    }
}
