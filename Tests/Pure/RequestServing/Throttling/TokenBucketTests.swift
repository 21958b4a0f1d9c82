import Testing

@testable import RequestServing

struct TokenBucketTests {
    static let start = ContinuousClock.now
    static let rate = TokenBucket.Rate(perSecond: 2, burst: 3)

    @Test func aRestedBucketGivesItsBurstAndThenItsRate() {
        var bucket = TokenBucket(Self.rate, now: Self.start)
        for _ in 1...3 {
            #expect(bucket.wait(at: Self.start) == .zero)
            bucket.take(at: Self.start)
        }
        #expect(bucket.wait(at: Self.start) == .milliseconds(500))
        #expect(bucket.wait(at: Self.start + .milliseconds(300)) == .milliseconds(200))
        #expect(bucket.wait(at: Self.start + .milliseconds(500)) == .zero)
        bucket.take(at: Self.start + .milliseconds(500))
        #expect(bucket.wait(at: Self.start + .milliseconds(500)) == .milliseconds(500))
    }

    @Test func aLongRestFillsItToTheBrimAndNoFurther() {
        var bucket = TokenBucket(Self.rate, now: Self.start)
        bucket.take(at: Self.start)
        #expect(!bucket.isFull(at: Self.start + .milliseconds(400)))
        let later = Self.start + .seconds(3600)
        #expect(bucket.isFull(at: later))
        for _ in 1...3 { bucket.take(at: later) }
        #expect(bucket.wait(at: later) > .zero)
    }

    @Test func keysHaveBucketsOfTheirOwnAndRestedOnesAreForgotten() {
        var buckets = TokenBuckets<Int>(TokenBucket.Rate(perSecond: 1, burst: 1))
        var most = 0
        for key in 0..<100_000 {
            // A thousand new keys per second are used. Each bucket is full again a second later.
            let now = Self.start + .milliseconds(key)
            #expect(buckets.wait(key, at: now) == .zero)
            buckets.take(key, at: now)
            most = max(most, buckets.count)
        }
        #expect(most <= 2048)
        #expect(buckets.wait(99_999, at: Self.start + .milliseconds(99_999)) == .seconds(1))
    }
}
