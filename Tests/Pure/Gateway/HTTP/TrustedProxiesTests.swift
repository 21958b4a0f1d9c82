import HTTPServing
import HTTPTypes
import Testing

@testable import Gateway

/// The address of the client that sent a request.
@Suite struct TrustedProxiesTests {
    private static let proxies = TrustedProxies(["10.0.0.0/8", "2001:db8::/32"].compactMap { AddressRange($0) })

    @Test(arguments: [
        ("X-Forwarded-For", "192.0.2.7", "192.0.2.7"),
        // Addresses that the client wrote itself are further to the left.
        ("X-Forwarded-For", "203.0.113.1, 192.0.2.7", "192.0.2.7"),
        ("X-Forwarded-For", "192.0.2.7, 10.1.1.1", "192.0.2.7"),
        ("X-Forwarded-For", "10.2.2.2, 10.1.1.1", "10.2.2.2"),
        ("X-Forwarded-For", "nonsense", "10.0.0.9"),
        ("X-Forwarded-For", "192.0.2.7, unknown", "10.0.0.9"),
        ("X-Forwarded-For", "", "10.0.0.9"),
        ("Forwarded", "for=192.0.2.7;proto=https", "192.0.2.7"),
        ("Forwarded", "proto=https;For=\"192.0.2.7:4711\"", "192.0.2.7"),
        ("Forwarded", "for=\"[2001:db9::1]:80\"", "2001:db9::1"),
        ("Forwarded", "for=192.0.2.7, for=\"[2001:db8::5]\"", "192.0.2.7"),
        ("Forwarded", "for=_hidden, for=10.1.1.1", "10.1.1.1"),
        ("Forwarded", "by=10.1.1.1", "10.0.0.9"),
    ])
    func aTrustedProxyNamesTheClient(field: String, value: String, client: String) throws {
        let headers = HTTPFields([HTTPField(name: try #require(.init(field)), value: value)])
        #expect(Self.proxies.client(peer: "10.0.0.9", headers: headers) == client)
    }

    /// A proxy that writes one of the two headers forwards the other one as the client sent it.
    @Test(arguments: [
        (TrustedProxies.Field.either, "10.0.0.9"), (.forwarded, "203.0.113.1"), (.forwardedFor, "192.0.2.7"),
    ])
    func ofTwoHeadersOnlyTheProxysIsTrusted(field: TrustedProxies.Field, client: String) throws {
        let headers = HTTPFields([
            HTTPField(name: try #require(.init("Forwarded")), value: "for=203.0.113.1"),
            HTTPField(name: try #require(.init("X-Forwarded-For")), value: "192.0.2.7"),
        ])
        let proxies = TrustedProxies([try #require(AddressRange("10.0.0.0/8"))], field: field)
        #expect(proxies.client(peer: "10.0.0.9", headers: headers) == client)
    }

    @Test func otherPeersAreNotTrusted() throws {
        let headers = HTTPFields([HTTPField(name: try #require(.init("X-Forwarded-For")), value: "192.0.2.7")])
        #expect(Self.proxies.client(peer: "198.51.100.1", headers: headers) == "198.51.100.1")
        #expect(TrustedProxies([]).client(peer: "10.0.0.9", headers: headers) == "10.0.0.9")
    }

    @Test(arguments: [
        ("10.0.0.0/8", "10.255.0.1", true), ("10.0.0.0/8", "11.0.0.1", false), ("192.0.2.1", "192.0.2.1", true),
        ("192.0.2.1", "192.0.2.2", false), ("192.0.2.0/25", "192.0.2.127", true),
        ("192.0.2.0/25", "192.0.2.128", false),
        ("0.0.0.0/0", "203.0.113.9", true), ("0.0.0.0/0", "2001:db8::1", false), ("::/0", "203.0.113.9", true),
        ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("fd00::/8", "fdff::1", true), ("fd00::/8", "fe00::1", false),
    ])
    func aRangeContainsTheAddressesWithItsPrefix(range: String, address: String, isContained: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(try #require(IPAddress(address))) == isContained)
    }

    @Test(arguments: ["", "10.0.0", "10.0.0.0/33", "::/129", "10.0.0.0/-1", "10.0.0.0/", "a", "10.0.0.0/8/8", "::1%lo"])
    func otherTextsAreNoRanges(text: String) { #expect(AddressRange(text) == nil) }

    @Test func aNetworkIsAnAddressOrItsFirst64Bits() {
        #expect(IPAddress("192.0.2.1")?.network != IPAddress("192.0.2.2")?.network)
        #expect(IPAddress("2001:db8::1")?.network == IPAddress("2001:db8::2:3:4:5")?.network)
        #expect(IPAddress("2001:db8::1")?.network != IPAddress("2001:db8:0:1::1")?.network)
    }
}
