import Testing

@testable import RecordService
@testable import RecordStorage

struct RecentCacheTests {
    @Test func whatIsUsedStaysAndTheRestIsForgotten() {
        var cache = RecentCache<Int, String>(maxCost: 100)
        for key in 0..<10_000 {
            cache.keep("\(key)", for: key)
            #expect(cache.value(0) == "0")
        }
        #expect(cache.count <= 100)
        #expect(cache.value(9_999) == "9999" && cache.value(5_000) == nil)
    }

    @Test func whatIsInEvenUseStays() {
        var cache = RecentCache<Int, Int>(maxCost: 200)
        for key in 0..<100 { cache.keep(key, for: key) }
        var found = 0
        for _ in 1...10 {
            for key in 0..<100 {
                if cache.value(key) == key { found += 1 } else { cache.keep(key, for: key) }
            }
        }
        #expect(found == 1000)
    }

    @Test func costsAreCounted() {
        var cache = RecentCache<Int, Int>(maxCost: 100)
        for key in 0..<100 { cache.keep(key, for: key, cost: 30) }
        #expect(cache.count <= 3)
        cache.keep(7, for: 99, cost: 1)
        #expect(cache.value(99) == 7)
    }

    @Test func whatIsForgottenIsReturned() {
        var cache = RecentCache<Int, Int>(maxCost: 10)
        for key in 0..<8 { cache.keep(key, for: key) }
        #expect(Set(cache.forget { $0.isMultiple(of: 2) }) == [0, 2, 4, 6])
        #expect(cache.value(6) == nil && cache.value(7) == 7)
    }
}
