import Testing

@testable import PostgresClient

struct StatementCacheTests {
    private func key(_ sql: String, _ types: [PostgresType] = []) -> StatementCache.Key {
        StatementCache.Key(sql: sql, types: types)
    }

    @Test func aStatementIsNewOnceAndThenKnownByItsName() {
        var cache = StatementCache(capacity: 4)
        #expect(cache.use(key("a")) == .new(name: "s1"))
        #expect(cache.use(key("a")) == .prepared(name: "s1"))
    }

    @Test func theSameTextWithOtherParameterTypesIsAnotherStatement() {
        var cache = StatementCache(capacity: 4)
        #expect(cache.use(key("a", [.int4])) == .new(name: "s1"))
        #expect(cache.use(key("a", [.int8])) == .new(name: "s2"))
    }

    @Test func anIdleStatementMakesRoomAndIsToBeDeallocated() {
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

    @Test func moreStatementsInTurnThanFitLeaveTheCachedOnesPrepared() {
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

    @Test func aStatementThatTheServerRefusedIsPreparedAgainUnderANewName() {
        var cache = StatementCache(capacity: 2)
        _ = cache.use(key("a"))
        cache.forget(key("a"))
        #expect(cache.use(key("a")) == .new(name: "s2"))
        #expect(cache.retired.isEmpty)
    }

    @Test func aStaleStatementIsDeallocatedAndPreparedAgain() {
        var cache = StatementCache(capacity: 2)
        _ = cache.use(key("a"))
        cache.retire(key("a"))
        #expect(cache.takeRetired() == ["s1"])
        cache.restoreRetired("s1")
        #expect(cache.retired == ["s1"])
        #expect(cache.use(key("a")) == .new(name: "s2"))
    }
}
