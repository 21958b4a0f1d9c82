import Foundation
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

struct NotificationIDTests {
    /// The first is the example of RFC 9562 (A.4); RFC 4122 has no example of version 5. The second is from Python's
    /// manual.
    @Test(arguments: [
        ("www.example.com", "2ed6657d-e927-568b-95e1-2665a8aea6a2"),
        ("python.org", "886313e1-3b8a-5372-9b90-0c9aee199e5d"),
    ])
    func namesOfTheDomainNameSystem(name: String, expected: String) throws {
        let namespace = try #require(UUID(uuidString: "6ba7b810-9dad-11d1-80b4-00c04fd430c8"))
        #expect(UUID(version5: name, in: namespace).uuidString.lowercased() == expected)
    }

    @Test func aZonesMessageIsKnownByItsNumbersAndAChangeByItsLast() throws {
        let zone = TestZone()
        let whole = try zone.change(1...4)
        #expect(NotificationID.ofZone(whole) == UUID(version5: "1-4", in: zone.incarnation))
        #expect(NotificationID.ofZone(whole) != NotificationID.ofZone(whole.after(2)))
        #expect(NotificationID.ofChange(whole) == UUID(version5: "4/", in: zone.incarnation))
        #expect(NotificationID.ofChange(whole) == NotificationID.ofChange(whole.after(2)))
    }
}
