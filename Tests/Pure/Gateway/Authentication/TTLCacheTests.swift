import Testing

@testable import Gateway

@Suite struct TTLCacheTests {
    /// Finds values, and counts the calls.
    private final class Finder {
        var count = 0

        func find(_ value: Int?) -> () -> Int? {
            {
                self.count += 1
                return value
            }
        }
    }

    @Test func aValueIsCachedForItsTimeToLive() async {
        let (memory, finder) = (TTLCache<String, Int>(timeToLive: .seconds(4)), Finder())
        for (now, value, count) in [(0, 1, 1), (3999, 1, 1), (4000, 2, 2), (4001, 2, 2), (3000, 3, 3)]
            as [(Int64, Int, Int)]
        {
            #expect(
                await memory.value(of: "a", at: now, find: finder.find(count > 2 ? 3 : now < 4000 ? 1 : 2)) == value)
            #expect(finder.count == count)
        }
    }

    @Test func anAbsenceIsCachedForASecond() async {
        let (memory, finder) = (TTLCache<String, Int>(timeToLive: .seconds(4)), Finder())
        #expect(await memory.value(of: "a", at: 0, find: finder.find(nil)) == nil)
        #expect(await memory.value(of: "a", at: 999, find: finder.find(1)) == nil)
        #expect(await memory.value(of: "a", at: 1000, find: finder.find(1)) == 1)
        #expect(finder.count == 2)
    }

    @Test func entriesAreRemovedAndReplaced() async {
        let (memory, finder) = (TTLCache<String, Int>(timeToLive: .seconds(4)), Finder())
        memory.replace(9, for: "a")
        #expect(await memory.value(of: "a", at: 0, find: finder.find(1)) == 1)
        memory.replace(2, for: "a")
        #expect(await memory.value(of: "a", at: 3999, find: finder.find(3)) == 2)
        #expect(await memory.value(of: "a", at: 4000, find: finder.find(3)) == 3)
        memory.forget("a")
        #expect(await memory.value(of: "a", at: 4000, find: finder.find(4)) == 4)
    }

    @Test func guessesDoNotEvictValues() async {
        let (memory, finder) = (TTLCache<Int, Int>(timeToLive: .seconds(4), capacity: 3), Finder())
        for key in 0..<3 { _ = await memory.value(of: key, at: 0, find: finder.find(1)) }
        for key in 10..<30 { _ = await memory.value(of: key, at: 0, find: finder.find(nil)) }
        #expect(finder.count == 23)
        for key in 0..<3 { #expect(await memory.value(of: key, at: 1, find: finder.find(2)) == 1) }
        #expect(finder.count == 23)
        // Another valid value replaces the others.
        _ = await memory.value(of: 3, at: 2, find: finder.find(1))
        _ = await memory.value(of: 0, at: 3, find: finder.find(1))
        #expect(finder.count == 25)
    }
}
