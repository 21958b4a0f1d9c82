import AMQPClient
import CloudKitWire
import PostgresClient
import ServiceMessages
import Synchronization
import TestSupport
import Testing

extension EndToEndTests {
    /// Shares begin, change and end while participants use them, with two record services.
    @Suite(.raceServices, .timeLimit(.minutes(5))) struct ShareRaceTests {
        /// The ways in which a participant loses access. The last one ends the share.
        private enum Loss: CaseIterable {
            case removal, permission, leaving, leavingTheZone, stop
        }

        @Test(arguments: [false, true])
        func nothingSucceedsAfterTheLossOfAccess(isSharedAsWhole: Bool) async throws {
            let zone = try await RaceZone(on: SharedStack.current, isSharedAsWhole: isSharedAsWhole)
            let (guest, watch) = (zone.guest(), AccessWatch())
            let participant = BusyParticipant(zone: zone, client: guest, watch: watch)
            if !isSharedAsWhole {
                try await zone.save(RaceZone.operation("create", BusyParticipant.hiddenPrefix + "1"))
            }
            try await guest.subscribeToSharedDatabase("all")
            let (heard, intervals) = try await zone.stack.withNotifications(ofSubscription: "all", of: guest) {
                box -> ([String], [(Int64, Int64)]) in
                let intervals = try await withThrowingTaskGroup(of: Void.self) { group -> [(Int64, Int64)] in
                    group.addTask { try await participant.run() }
                    group.addTask { try await Self.write(to: zone, watch) }
                    let intervals = try await Self.giveAndTake(zone, guest, watch)
                    watch.end()
                    try await group.waitForAll()
                    return intervals
                }
                // The notifications of a zone arrive in order, so this one is the last.
                let share = try await zone.share("end", with: [guest])
                let accepted = try await zone.accept(share, as: guest)
                try #require(accepted["participantStatus"] == "ACCEPTED", "\(accepted)")
                try await zone.save(RaceZone.operation("create", "last", below: "end"))
                _ = try await box.first("the last notification") { Self.names(in: $0).contains("last") }
                let last = try await zone.access(of: guest, to: share)
                return (box.elements.flatMap { Self.names(in: $0) }, intervals + [(last.since, Int64.max)])
            }
            let counts = watch.counts
            print(
                "race: \(intervals.count) turns, \(counts.successes), refused \(counts.refusals), heard \(heard.count)")
            #expect(counts.faults == [])
            for act in ["save", "address", "upload", "save of an upload", "page", "look-up"] {
                #expect(counts.successes[act, default: 0] > 0, "\(act)")
            }
            let numbers = try await zone.changeNumbers()
            func hadAccess(_ number: Int64) -> Bool { intervals.contains { $0.0 < number && number < $0.1 } }
            for name in counts.saved {
                let number = try #require(numbers[name], "\(name) was acknowledged and is missing")
                #expect(hadAccess(number), "\(name) was saved with \(number), outside of \(intervals)")
            }
            let logged = try await zone.query(
                "select from_seq, to_seq from record.change where user_name = $1", [.text(guest.user)])
            for row in logged {
                let (from, to) = (row.int64(0), row.int64(1))
                #expect(intervals.contains { $0.0 <= from && to <= $0.1 }, "changes \(from) to \(to) in \(intervals)")
            }
            // The numbers of roots and shares are those of their last changes.
            let others = heard.filter { name in
                !["root-", "S-", "end", "cloudkit."].contains { name.hasPrefix($0) }
            }
            #expect(!others.isEmpty)
            for name in others {
                #expect(!name.hasPrefix(BusyParticipant.hiddenPrefix), "\(name) was heard")
                let number = try #require(numbers[name])
                #expect(hadAccess(number), "\(name) with \(number) was heard, outside of \(intervals)")
            }
            try await zone.expectRightMembership()
        }

        /// Gives a user access and takes it away in different ways until the time is up.
        ///
        /// - Returns: the numbers of the changes that gave and took access.
        private static func giveAndTake(
            _ zone: RaceZone, _ guest: TestClient, _ watch: AccessWatch
        ) async throws -> [(Int64, Int64)] {
            let end = ContinuousClock.now + RaceZone.duration
            var intervals: [(Int64, Int64)] = []
            var share: RaceZone.Share?
            var turn = 0
            while ContinuousClock.now < end || turn % Loss.allCases.count != 0 {
                let loss = Loss.allCases[turn % Loss.allCases.count]
                turn += 1
                let current: RaceZone.Share
                if let share {
                    current = share
                    watch.open(share.root)
                    try await zone.invite([guest], to: share)
                } else {
                    watch.open("root-\(turn)")
                    current = try await zone.share("root-\(turn)", with: [guest])
                }
                share = loss == .stop ? nil : current
                let accepted = try await zone.accept(current, as: guest)
                try #require(accepted["participantStatus"] == "ACCEPTED", "\(accepted)")
                // The participant is in the middle of its work: in turn, it has just saved a record or an upload.
                let act = turn % 2 == 0 ? "save" : "save of an upload"
                let before = watch.counts.successes[act, default: 0]
                try await eventually("\(act) succeeds", within: .seconds(30)) {
                    watch.counts.successes[act, default: 0] > before || !watch.counts.faults.isEmpty ? true : nil
                }
                switch loss {
                case .removal: try await zone.invite([], to: current)
                case .permission: try await zone.invite([guest], to: current, permission: "NONE")
                case .leaving: try await zone.leave(current, as: guest, wholeZone: false)
                case .leavingTheZone: try await zone.leave(current, as: guest, wholeZone: true)
                case .stop: try await zone.stop(current)
                }
                watch.close()
                let access = try await zone.access(of: guest, to: current)
                intervals.append((access.since, try #require(access.until, "\(loss)")))
                // Whatever began after the answer is refused.
                let refused = watch.counts.refusals["save", default: 0]
                try await eventually("a save is refused", within: .seconds(30)) {
                    watch.counts.refusals["save", default: 0] > refused + 1 || !watch.counts.faults.isEmpty ? true : nil
                }
            }
            return intervals
        }

        /// Saves shared and hidden records as the owner until the race ends.
        private static func write(to zone: RaceZone, _ watch: AccessWatch) async throws {
            var number = 1
            while !watch.hasEnded {
                number += 1
                // The root may not exist yet.
                _ = try await zone.modify(
                    as: zone.owner, RaceZone.operation("create", "owner-\(number)", below: watch.moment.root))
                guard !zone.isSharedAsWhole else { continue }
                _ = try await zone.modify(
                    as: zone.owner, RaceZone.operation("create", BusyParticipant.hiddenPrefix + "\(number)"))
            }
        }

        /// The names of the records in a notification.
        private static func names(in delivery: AMQPDelivery) -> [String] {
            ((try? JSONValue(parsing: delivery.body))?["records"]?.array ?? []).compactMap { $0["recordName"]?.string }
        }

        @Test func anAcceptanceDoesNotOutliveItsShare() async throws {
            let zone = try await RaceZone(on: SharedStack.current)
            let end = ContinuousClock.now + RaceZone.duration
            var outcomes: [String: Int] = [:]
            var turn = 0
            while ContinuousClock.now < end || turn < 9 {
                turn += 1
                let guests = [zone.guest(), zone.guest(), zone.guest()]
                let share = try await zone.share("list-\(turn)", with: guests)
                let ending = turn % 3
                let results = try await withThrowingTaskGroup(of: JSONValue?.self) { group -> [JSONValue] in
                    for guest in guests { group.addTask { try await zone.accept(share, as: guest) } }
                    group.addTask {
                        switch ending {
                        case 0: try await zone.stop(share)
                        case 1: try await zone.save(RaceZone.operation("forceDelete", share.root))
                        default: try await zone.invite([], to: share)
                        }
                        return nil
                    }
                    return try await group.reduce(into: []) { if let result = $1 { $0.append(result) } }
                }
                for result in results {
                    if result.errorCode == nil {
                        #expect(result["participantStatus"] == "ACCEPTED", "\(result)")
                        outcomes["accepted", default: 0] += 1
                    } else {
                        #expect(result["ckErrorCode"] == 11, "\(result)")
                        outcomes["refused", default: 0] += 1
                    }
                }
                for guest in guests {
                    let reply = try await guest.ask(
                        .recordsLookup, ["zoneID": zone.id, "records": [["recordName": .string(share.root)]]])
                    #expect(reply["ckErrorCode"] == 26, "\(reply.body)")
                    #expect(try await guest.ask(.zonesList, [:])["zones"] == [])
                }
            }
            print("race: \(turn) shares, \(outcomes)")
            #expect(outcomes["accepted", default: 0] > 0 && outcomes["refused", default: 0] > 0)
            let late = try await zone.query(
                """
                select s.name, p.since_seq, s.ended_seq from record.participant p
                join record.share s on s.zone = p.zone and s.id = p.share
                join record.zone z on z.id = s.zone join record.database d on d.id = z.database
                where d.owner = $1 and p.role <> 1 and (
                    p.since_seq > s.ended_seq or (p.since_seq is not null and p.until_seq is null)
                    or p.until_seq < p.since_seq)
                """, [.text(zone.owner.user)])
            #expect(late.map { "\($0.string(0)): \($0.int64(1)) \($0.int64IfPresent(2) ?? 0)" } == [])
            try await zone.expectRightMembership()
        }

        @Test func aMovedSubtreeAndWhatOthersSaveInItAreInOneShare() async throws {
            let zone = try await RaceZone(on: SharedStack.current)
            let guests = [zone.guest(), zone.guest()]
            var shares: [RaceZone.Share] = []
            for (number, guest) in guests.enumerated() {
                let share = try await zone.share("root-\(number)", with: [guest])
                let accepted = try await zone.accept(share, as: guest)
                try #require(accepted["participantStatus"] == "ACCEPTED", "\(accepted)")
                shares.append(share)
            }
            try await zone.save(RaceZone.operation("create", BusyParticipant.hiddenPrefix + "1"))
            let subtree = MovingSubtree(zone: zone, roots: shares.map(\.root))
            let copies = try await withThrowingTaskGroup(of: SharedWalk?.self) { group -> [SharedWalk] in
                for (number, guest) in guests.enumerated() {
                    group.addTask {
                        try await subtree.write(as: guest, number)
                        return nil
                    }
                    group.addTask { try await subtree.follow(as: guest) }
                }
                group.addTask {
                    try await subtree.writeAsOwner()
                    return nil
                }
                try await subtree.move(until: .now + RaceZone.duration)
                return try await group.reduce(into: []) { if let walk = $1 { $0.append(walk) } }
            }
            let counts = subtree.counts
            print("race: \(counts.moves.count) moves, saved \(counts.saved.count), refused \(counts.refusals)")
            #expect(counts.faults == [])
            #expect(counts.moves.count > 3)
            #expect(Set(counts.saved.map(\.writer)) == [0, 1], "each participant saved")
            try await subtree.expectSavesInTheirShares()
            let members = try await zone.expectRightMembership()
            for copy in copies {
                var (followed, fresh) = (copy, SharedWalk(zone: zone, client: copy.client))
                try await followed.catchUp()
                try await fresh.catchUp()
                let number = guests.firstIndex { $0.user == copy.client.user }
                let share = shares[try #require(number)]
                #expect(fresh.names == members[share.name], "a new walk shows what is in the share")
                #expect(followed.names == members[share.name], "a copy shows what is in the share")
            }
        }
    }
}

extension Trait where Self == SharedStack {
    /// Provides the suite with two record services, an asset service and a subscription service.
    fileprivate static var raceServices: SharedStack {
        SharedStack(services: [.asset, .record, .record, .subscription])
    }
}

extension TestClient {
    /// Saves a subscription to the database.
    fileprivate func subscribeToSharedDatabase(_ id: String) async throws {
        let subscription: JSONValue = ["subscriptionID": .string(id), "subscriptionType": "database"]
        let reply = try await ask(
            .subscriptionsModify, ["operations": [["operationType": "create", "subscription": subscription]]])
        try #require(reply["subscriptions"]?[0]?.errorCode == nil, "\(reply.body)")
    }
}
