import CloudKitModel
import CloudKitWire
import Testing

/// `compat` refuses the requests that CloudKit refuses; `extended` does not.
struct ProfileTests {
    static let custom = ZoneID(zoneName: ZoneName(unchecked: "Notes"))

    private func error(_ body: () throws(ServerError) -> Void) -> ServerError? {
        do throws(ServerError) {
            try body()
            return nil
        } catch {
            return error
        }
    }

    @Test func compatHasFeedsOfCustomZonesOnly() {
        let zone = error { () throws(ServerError) in try Profile.compat.checkChanges(of: .defaultZone, in: .private) }
        #expect(zone?.reason == "cannot get changes in default zone" && zone?.ckErrorCode == 12)
        let database = error { () throws(ServerError) in try Profile.compat.checkChanges(in: .public) }
        #expect(database?.ckErrorCode == 24)
        let both = error { () throws(ServerError) in try Profile.compat.checkChanges(of: .defaultZone, in: .public) }
        #expect(both?.ckErrorCode == 24)
        #expect(error { () throws(ServerError) in try Profile.compat.checkChanges(in: .private) } == nil)
        #expect(
            error { () throws(ServerError) in try Profile.compat.checkChanges(of: Self.custom, in: .private) } == nil)
        for scope in [DatabaseScope.public, .private] {
            #expect(
                error { () throws(ServerError) in try Profile.extended.checkChanges(of: .defaultZone, in: scope) }
                    == nil)
        }
    }

    @Test(arguments: [(true, true), (false, false), (nil, false)])
    func compatHasNoAtomicityInTheDefaultZone(atomic: Bool?, isRefused: Bool) {
        let compat = error { () throws(ServerError) in try Profile.compat.checkAtomic(atomic, in: .defaultZone) }
        #expect((compat?.reason == "atomic operations not supported in default zone") == isRefused)
        #expect(error { () throws(ServerError) in try Profile.compat.checkAtomic(atomic, in: Self.custom) } == nil)
        #expect(
            error { () throws(ServerError) in try Profile.extended.checkAtomic(atomic, in: .defaultZone) } == nil)
    }

    @Test func noLimitIsSmallerInExtended() {
        for limit in Limit.record + Limit.asset + Limit.subscription {
            let (extended, compat) = (Limits(.extended)[keyPath: limit.value], Limits(.compat)[keyPath: limit.value])
            #expect(extended >= compat, "\(limit.name)")
            #expect(limit.range.contains(extended) && limit.range.contains(compat), "\(limit.name)")
        }
    }
}
