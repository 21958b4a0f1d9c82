import Testing

@testable import RecordService

struct GenerationCacheTests {
    @Test func whatIsInEvenUseStays() {
        var cache = Self.cache(maxBytes: 200)
        for key in 0..<100 { cache[key] = key }
        var found = 0
        for _ in 1...10 {
            for key in 0..<100 {
                if cache[key] == key { found += 1 } else { cache[key] = key }
            }
        }
        #expect(found == 1000)
    }

    @Test func whatIsAskedForOutlivesWhatIsNot() {
        var cache = Self.cache(maxBytes: 100)
        cache[-1] = -1
        for key in 0..<1000 {
            cache[key] = key
            #expect(cache[-1] == -1)
        }
        #expect(cache[0] == nil)
    }

    @Test func itStaysWithinItsBytes() {
        var cache = Self.cache(maxBytes: 100)
        for key in 0..<1000 {
            cache[key] = key
            #expect(cache.count <= 101)
        }
    }

    @Test func itForgetsWhatItIsToldTo() {
        var cache = Self.cache(maxBytes: 100)
        for key in 0..<80 { cache[key] = key }
        cache[79] = nil
        #expect(cache[79] == nil)
        cache.removeAll { key, _ in key.isMultiple(of: 2) }
        #expect(cache[60] == nil && cache[61] == 61 && cache[1] == 1)
    }

    private static func cache(maxBytes: Int) -> GenerationCache<Int, Int> {
        GenerationCache(maxBytes: maxBytes) { _, _ in 1 }
    }
}
