import CloudKitModel
import RequestServing
import ServiceRuntime
import Synchronization
import Testing

@testable import Gateway

/// The refusal of a client that sends too many requests contains the time to wait. Other clients are not affected.
@Suite struct RateLimitsTests {
    private let time = TestTime()

    private func limits(_ rates: RateLimits.Rates) -> RateLimits {
        RateLimits(rates, metrics: GatewayMetrics(ServiceMetrics()), now: { [time] in time.now })
    }

    @Test func anAddressIsLimitedToItsBurstAndRate() throws {
        let limits = limits(.init(address: .init(perSecond: 2, burst: 3)))
        for _ in 0..<3 { try limits.admit(address: "192.0.2.1") }
        let error = #expect(throws: ServerError.self) { try limits.admit(address: "192.0.2.1") }
        #expect(error?.code == .throttled)
        #expect(error?.retryAfter == 1)
        #expect(error?.field == "address")
        try limits.admit(address: "192.0.2.2")
        time.advance(by: .milliseconds(500))
        try limits.admit(address: "192.0.2.1")
        #expect(throws: ServerError.self) { try limits.admit(address: "192.0.2.1") }
    }

    @Test func theAddressesOfAnIPv6NetworkCountTogether() throws {
        let limits = limits(.init(address: .init(perSecond: 1, burst: 1)))
        try limits.admit(address: "2001:db8::1")
        #expect(throws: ServerError.self) { try limits.admit(address: "2001:db8::2") }
    }

    @Test func usersAndTokensAreLimitedSeparately() throws {
        let limits = limits(.init(token: .init(perSecond: 1, burst: 2), user: .init(perSecond: 1, burst: 1)))
        let (one, other) = (Self.user("_1"), Self.user("_2"))
        try limits.admit(one, in: "c")
        let ofUser = #expect(throws: ServerError.self) { try limits.admit(one, in: "c") }
        #expect(ofUser?.field == "user")
        try limits.admit(other, in: "c")
        let ofToken = #expect(throws: ServerError.self) { try limits.admit(Self.user("_3"), in: "c") }
        #expect(ofToken?.field == "token")
        // A key has no API token, and a caller who has not signed in has no user.
        for _ in 0..<2 { try limits.admit(Caller(kind: .world, userName: "_world", apiToken: "w"), in: "c") }
        try limits.admit(Caller(kind: .serverKey(id: "k"), userName: "_4"), in: "c")
        #expect(throws: ServerError.self) {
            try limits.admit(Caller(kind: .serverKey(id: "k"), userName: "_4"), in: "c")
        }
        // The same name in another container is another user.
        try limits.admit(Caller(kind: .serverKey(id: "k"), userName: "_4"), in: "d")
    }

    @Test func withoutRatesAllRequestsPass() throws {
        let limits = limits(.init())
        for _ in 0..<1000 {
            try limits.admit(address: "192.0.2.1")
            try limits.admit(Self.user("_1"), in: "c")
        }
    }

    private static func user(_ name: String) -> Caller {
        Caller(kind: .user(account: 1), userName: name, apiToken: "t")
    }
}

/// A clock that advances only on request.
private final class TestTime: Sendable {
    private let time = Mutex(ContinuousClock.now)
    var now: ContinuousClock.Instant { time.withLock { $0 } }
    func advance(by duration: Duration) { time.withLock { $0 += duration } }
}
