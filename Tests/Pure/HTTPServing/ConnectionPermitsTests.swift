import HTTPServing
import ServiceRuntime
import Synchronization
import Testing

/// The connections that get a permit, and those that are closed for them.
struct ConnectionPermitsTests {
    /// The permits, and the connections that were closed in favor of others.
    private final class Server: Sendable {
        let metrics = ServiceMetrics()
        let permits: ConnectionPermits
        private let left = Mutex<[String]>([])

        var closed: [String] { left.withLock { $0 } }

        init(_ count: Int, perAddress: Int, proxies: [String] = []) {
            permits = ConnectionPermits(
                count, perAddress: perAddress, proxies: proxies.compactMap { AddressRange($0) },
                metrics: ConnectionMetrics(metrics))
        }

        /// Requests a permit for a connection with the given name.
        func connect(_ name: String, from address: String) -> ConnectionPermits.Permit? {
            permits.take(for: address) { [self] in left.withLock { $0.append(name) } }
        }

        func count(_ reason: ConnectionMetrics.Closing) -> Double {
            metrics.value(of: ConnectionMetrics.closed, ["reason": reason.rawValue])
        }
    }

    @Test func anAddressGetsItsShareAndNoMore() throws {
        let server = Server(10, perAddress: 2)
        let own = try (0..<2).map { try #require(server.connect("\($0)", from: "192.0.2.1")) }
        for permit in own { #expect(permit.setBusy()) }
        #expect(server.connect("third", from: "192.0.2.1") == nil)
        #expect(server.count(.address) == 1)
        #expect(server.connect("other", from: "192.0.2.2") != nil)
        server.permits.giveBack(own[0])
        #expect(server.connect("fourth", from: "192.0.2.1") != nil)
        #expect(server.closed == [])
    }

    @Test func ofIPv6TheNetworkCounts() throws {
        let server = Server(10, perAddress: 1)
        let permit = try #require(server.connect("1", from: "2001:db8::1"))
        #expect(permit.setBusy())
        #expect(server.connect("2", from: "2001:db8::2:1") == nil)
        #expect(server.connect("3", from: "2001:db8:0:1::1") != nil)
    }

    @Test func theLongestIdleOneMakesRoom() throws {
        let server = Server(3, perAddress: 3)
        let permits = try (0..<3).map { try #require(server.connect("\($0)", from: "192.0.2.1")) }
        for permit in permits { #expect(permit.setBusy()) }
        permits[2].setIdle()
        permits[0].setIdle()
        #expect(server.connect("new", from: "192.0.2.2") != nil)
        #expect(server.closed == ["2"])
        // The next request of the client came too late.
        #expect(!permits[2].setBusy())
        // The permit is returned only once, regardless of when its connection ends.
        server.permits.giveBack(permits[2])
        #expect(server.permits.count == 3)
        #expect(server.count(.replaced) == 1)
    }

    @Test func theAddressWithTheMostConnectionsGivesFirst() throws {
        let server = Server(4, perAddress: 3)
        // This connection has been idle for longest, but is the only one of its address.
        #expect(server.connect("single", from: "192.0.2.9") != nil)
        for name in ["a", "b", "c"] { #expect(server.connect(name, from: "192.0.2.1") != nil) }
        #expect(server.connect("new", from: "192.0.2.2") != nil)
        #expect(server.closed == ["a"])
    }

    @Test func noneLeavesInTheMiddleOfItsRequest() throws {
        let server = Server(1, perAddress: 1)
        let permit = try #require(server.connect("1", from: "192.0.2.1"))
        #expect(permit.setBusy())
        #expect(server.connect("2", from: "192.0.2.2") == nil)
        #expect(server.count(.full) == 1)
        #expect(server.closed == [])
    }

    @Test func proxiesAreBoundedOverAllOnly() throws {
        let server = Server(4, perAddress: 1, proxies: ["10.0.0.0/8"])
        for name in ["1", "2", "3"] { #expect(server.connect(name, from: "10.0.0.1") != nil) }
        #expect(server.connect("client", from: "192.0.2.1") != nil)
        // A proxy's connection serves many clients, so it is closed last.
        #expect(server.connect("new", from: "192.0.2.2") != nil)
        #expect(server.closed == ["client"])
    }
}
