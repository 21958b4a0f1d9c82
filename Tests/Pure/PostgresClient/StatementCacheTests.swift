import Testing

@testable import PostgresClient

@Suite("Statement cache")
struct StatementCacheTests {
    private func key(_ sql: String, _ types: [PostgresType] = []) -> StatementCache.Key {
        StatementCache.Key(sql: sql, types: types)
    }

    @Test func `A statement is new once, then known under its name`() {
        var cache = StatementCache(capacity: 4)
        #expect(cache.use(key("a")) == .new(name: "s1"))
        #expect(cache.use(key("a")) == .prepared(name: "s1"))
    }

    @Test func `The same text with other parameter types is another statement`() {
        var cache = StatementCache(capacity: 4)
        #expect(cache.use(key("a", [.int4])) == .new(name: "s1"))
        #expect(cache.use(key("a", [.int8])) == .new(name: "s2"))
    }

    @Test func `An idle statement makes room and is to be deallocated`() {
        var cache = StatementCache(capacity: 2)
        _ = cache.use(key("a"))
        _ = cache.use(key("b"))
        for _ in 0...(2 * StatementCache.idleCapacities) { _ = cache.use(key("a")) }
        #expect(cache.use(key("c")) == .new(name: "s3"))
        #expect(cache.takeRetired() == ["s2"])
        #expect(cache.retired.isEmpty)
        #expect(cache.use(key("a")) == .prepared(name: "s1"))
        #expect(cache.count == 2)
    }

    @Test func `More statements in turn than there is room for leave those that have it prepared`() {
        var cache = StatementCache(capacity: 50)
        var prepared = 0
        for _ in 0..<20 {
            for number in 0..<100 {
                if case .prepared = cache.use(key("\(number)")) { prepared += 1 }
            }
        }
        #expect(prepared == 19 * 50)
        #expect(cache.retired.isEmpty)
    }

    @Test func `A statement the server did not take is prepared again under a new name`() {
        var cache = StatementCache(capacity: 2)
        _ = cache.use(key("a"))
        cache.forget(key("a"))
        #expect(cache.use(key("a")) == .new(name: "s2"))
        #expect(cache.retired.isEmpty)
    }

    @Test func `A stale statement is deallocated and prepared again`() {
        var cache = StatementCache(capacity: 2)
        _ = cache.use(key("a"))
        cache.retire(key("a"))
        #expect(cache.takeRetired() == ["s1"])
        cache.restoreRetired("s1")
        #expect(cache.retired == ["s1"])
        #expect(cache.use(key("a")) == .new(name: "s2"))
    }
}
