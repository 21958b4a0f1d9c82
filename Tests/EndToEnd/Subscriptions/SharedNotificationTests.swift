import AMQPClient
import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Who hears of the changes in a zone from which records are shared (semantics 6, 9 and 11).
    @Suite(.sharedServices, .timeLimit(.minutes(3))) struct SharedNotificationTests {
        private typealias Sharing = SharedNotificationScenario

        @Test func participantsHearWhileTheyHaveAccess() async throws {
            try await Sharing.run { scenario in
                let (owner, ann, bob) = (scenario.owner, scenario.ann, scenario.bob)
                try await owner.save("list")
                let share = try await owner.share("S", of: "list", [ann: "READ_ONLY", bob: "READ_ONLY"])
                try await ann.accept(share)
                try await bob.accept(share)
                try await owner.save("secret")
                try await owner.save("item", below: "list")
                try await owner.change("S", [ann: "READ_ONLY"])
                try await owner.save("later", below: "list")

                #expect(try await ann.heard(5) == ["all", "S", "+item", "S", "+later"])
                #expect(try await bob.heard(3) == ["all", "+item", "all"])
                #expect(
                    try await owner.heard(8) == ["list", "S list", "S", "S", "secret", "item", "S", "later"])
                let last = try JSONValue(parsing: try #require(ann.box.elements.last).body)
                #expect(last["ck"]?["met"]?["dbs"] == 3)
                #expect(last["ck"]?["met"]?["zoid"] == .string(owner.client.user))
                #expect(last["syncToken"] == nil && last["toSeq"] == nil)
            }
        }

        /// The record `board` is shared with everyone to the end: its change shows that nothing else was heard before.
        @Test func aPermissionThatIsRevokedIsHeardAndNothingAfterIt() async throws {
            try await Sharing.run { scenario in
                let (owner, ann, bob) = (scenario.owner, scenario.ann, scenario.bob)
                try await owner.save("board")
                let board = try await owner.share("B", of: "board", [ann: "READ_ONLY", bob: "READ_ONLY"])
                try await ann.accept(board)
                try await bob.accept(board)
                try await owner.save("list")
                let share = try await owner.share("S", of: "list", [ann: "READ_WRITE"])
                try await ann.accept(share)
                try await owner.change("S", [ann: "NONE"])
                try await owner.save("unheard", below: "list")
                try await owner.change("S", [ann: "READ_ONLY"])
                try await owner.save("heard", below: "list")
                try await ann.leave("S")
                try await owner.save("after", below: "list")
                try await owner.save("board")

                #expect(
                    try await ann.heard(8) == ["all", "B", "all", "all", "all", "+heard", "all", "board"])
                #expect(try await bob.heard(2) == ["all", "board"])
                #expect(
                    try await owner.heard(14) == [
                        "board", "B board", "B", "B", "list", "S list", "S", "S", "unheard", "S", "heard", "S", "after",
                        "board",
                    ])
            }
        }

        @Test func recordsThatEnterAndLeaveAShareAreCreatedAndDeleted() async throws {
            try await Sharing.run { scenario in
                let (owner, ann, bob) = (scenario.owner, scenario.ann, scenario.bob)
                for root in ["left", "right"] { try await owner.save(root) }
                try await ann.accept(try await owner.share("L", of: "left", [ann: "READ_ONLY"]))
                try await bob.accept(try await owner.share("R", of: "right", [bob: "READ_ONLY"]))
                try await owner.save("note")
                try await owner.save("note", below: "left")
                try await owner.save("note", below: "right")
                try await owner.save("note")
                try await owner.stop("L")
                try await owner.save("left")
                try await owner.save("right")

                #expect(try await ann.heard(4) == ["all", "+note", "-note", "all"])
                #expect(try await bob.heard(4) == ["all", "+note", "-note", "right"])
                #expect(ann.box.elements.count == 4)
            }
        }

        @Test func aZoneThatIsSharedAsAWholeIsHeardUntilItIsDeleted() async throws {
            try await Sharing.run { scenario in
                let (owner, ann, bob) = (scenario.owner, scenario.ann, scenario.bob)
                try await owner.save("a")
                let share = try await owner.share(
                    "cloudkit.zoneshare", of: nil, [:], publicPermission: "READ_ONLY")
                try await ann.accept(share)
                try await bob.accept(share)
                try await owner.save("b")
                try await ann.leaveZone()
                try await owner.save("c")
                try await ann.accept(share)
                try await owner.save("d")
                try await owner.client.zones("delete", Sharing.zone)

                let zoneShare = "cloudkit.zoneshare"
                #expect(try await ann.heard(7) == ["all", zoneShare, "+b", "all", "all", "+d", "all"])
                #expect(try await bob.heard(7) == ["all", "+b", zoneShare, "+c", zoneShare, "+d", "all"])
                let last = try JSONValue(parsing: try #require(bob.box.elements.last).body)
                #expect(last["deleted"] == true)
            }
        }
    }
}
