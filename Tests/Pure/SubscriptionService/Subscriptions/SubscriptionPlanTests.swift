import CloudKitModel
import CloudKitQuery
import CloudKitWire
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

struct SubscriptionPlanTests {
    private typealias Tally = SubscriptionPlan.Tally

    private func subscription(_ id: SubscriptionID, zone: String = "Notes") -> Subscription {
        Subscription(subscriptionID: id, kind: .zone(ZoneID(zoneName: ZoneName(unchecked: zone)), recordType: nil))
    }

    @Test func savingAgainReplaces() {
        var plan = SubscriptionPlan(all: Tally(present: ["a"], count: 1, limit: 1))
        #expect(plan.apply(.create(subscription("a"))) == .saved(subscription("a")))
        #expect(plan.apply(.update(subscription("a", zone: "Drafts"))) == .saved(subscription("a", zone: "Drafts")))
        #expect(plan.saved == ["a": subscription("a", zone: "Drafts")])
        #expect(plan.removed.isEmpty)
    }

    @Test func whatIsMissingCannotBeUpdatedOrDeleted() {
        var plan = SubscriptionPlan(all: Tally(present: [], count: 0, limit: 1))
        #expect(plan.apply(.update(subscription("a"))) == .failed(.subscriptionNotFound, subscriptionID: "a"))
        #expect(plan.apply(.delete("a")) == .failed(.subscriptionNotFound, subscriptionID: "a"))
        #expect(plan.saved.isEmpty && plan.removed.isEmpty)
    }

    @Test func deletedAndSavedAgainItIsAnother() {
        var plan = SubscriptionPlan(all: Tally(present: ["a"], count: 1, limit: 1))
        #expect(plan.apply(.delete("a")) == .deleted("a"))
        #expect(plan.apply(.delete("a")) == .failed(.subscriptionNotFound, subscriptionID: "a"))
        #expect(plan.apply(.create(subscription("a"))) == .saved(subscription("a")))
        #expect(plan.removed == ["a"])
        #expect(Set(plan.saved.keys) == ["a"])
    }

    @Test func savedAndDeletedItIsGone() {
        var plan = SubscriptionPlan(all: Tally(present: [], count: 0, limit: 1))
        _ = plan.apply(.create(subscription("a")))
        #expect(plan.apply(.delete("a")) == .deleted("a"))
        #expect(plan.saved.isEmpty && plan.removed.isEmpty)
    }

    @Test func idsThatLookAlikeAreTwo() {
        var plan = SubscriptionPlan(all: Tally(present: ["\u{E9}"], count: 1, limit: 2))
        #expect(plan.apply(.delete("e\u{301}")) == .failed(.subscriptionNotFound, subscriptionID: "e\u{301}"))
        #expect(plan.apply(.create(subscription("e\u{301}"))) == .saved(subscription("e\u{301}")))
        #expect(plan.apply(.delete("\u{E9}")) == .deleted("\u{E9}"))
        #expect(plan.removed == ["\u{E9}"])
        #expect(Set(plan.saved.keys) == ["e\u{301}"])
    }

    @Test func theirNumberIsLimited() {
        var plan = SubscriptionPlan(all: Tally(present: ["a"], count: 2, limit: 2))
        guard case .failed(let error, "b") = plan.apply(.create(subscription("b"))) else {
            Issue.record("it was not refused")
            return
        }
        #expect(error.reasonCode == "too_many_subscriptions")
        #expect(error.ckErrorCode == CKErrorCode.limitExceeded.rawValue)
        #expect(error.limit == 2)
        #expect(plan.apply(.create(subscription("a"))) == .saved(subscription("a")))
        _ = plan.apply(.delete("a"))
        #expect(plan.apply(.create(subscription("b"))) == .saved(subscription("b")))
    }

    @Test func thoseThatDemandNoEqualityHaveALimitOfTheirOwn() throws {
        let selective = EqualityTerm(of: try Predicate(format: "folder == 'inbox'", now: 0), user: "_u")
        var plan = SubscriptionPlan(
            all: Tally(present: ["a"], count: 3, limit: 9), unselective: Tally(present: ["a"], count: 2, limit: 2))
        #expect(plan.apply(.create(query("a", term: .none))) == .saved(query("a", term: .none)))
        guard case .failed(let error, "b") = plan.apply(.create(query("b", term: .none))) else {
            Issue.record("it was not refused")
            return
        }
        #expect(error.reasonCode == "too_many_unselective_subscriptions")
        #expect(error.ckErrorCode == CKErrorCode.limitExceeded.rawValue)
        #expect(error.limit == 2)
        #expect(plan.apply(.create(query("b", term: selective))) == .saved(query("b", term: selective)))
        #expect(plan.apply(.create(subscription("zone"))) == .saved(subscription("zone")))
        // A subscription that is changed to require an equality makes room.
        _ = plan.apply(.update(query("a", term: selective)))
        #expect(plan.apply(.create(query("c", term: .none))) == .saved(query("c", term: .none)))
    }

    private func query(_ id: SubscriptionID, term: EqualityTerm) -> Subscription {
        let interest = QueryInterest(predicate: "TRUEPREDICATE", ownOnly: false, rights: nil, term: term)
        let query = WatchedQuery(
            dictionary: ["recordType": "Note"], recordType: "Note", firesOn: .create, firesOnce: false,
            interest: interest)
        return Subscription(subscriptionID: id, kind: .query(query))
    }
}
