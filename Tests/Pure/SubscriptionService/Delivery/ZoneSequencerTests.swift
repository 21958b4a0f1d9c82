import CloudKitModel
import ServiceMessages
import TestGenerators
import TestSupport
import Testing

@testable import SubscriptionService
@testable import SubscriptionStorage

struct ZoneSequencerTests {
    typealias Sequencer = ZoneSequencer<Int>

    private let zone = TestZone()

    private func spans(_ run: Sequencer.Run) -> [ClosedRange<Int64>] { run.changes.map { $0.fromSeq...$0.toSeq } }

    @Test func eventsThatContinueTheCursorAreDelivered() throws {
        var sequencer = Sequencer()
        sequencer.offer(try zone.change(1...2), ticket: 1)
        sequencer.offer(try zone.change(3...3), ticket: 2)
        let run = sequencer.run()
        #expect(spans(run) == [1...2, 3...3])
        #expect(run.reached == 3)
        #expect(run.obstacle == nil)
        #expect(sequencer.settle(upTo: 3) == [1, 2])
        #expect(sequencer.isIdle)
    }

    @Test func aRepeatGivesNothingButItsTicket() throws {
        var sequencer = Sequencer()
        _ = sequencer.settle(upTo: 5)
        sequencer.offer(try zone.change(4...5), ticket: 1)
        #expect(sequencer.run().changes.isEmpty)
        #expect(sequencer.run().obstacle == nil)
        #expect(sequencer.settle(upTo: 5) == [1])
    }

    @Test func behindAGapNothingIsDeliveredUntilItCloses() throws {
        var sequencer = Sequencer()
        sequencer.offer(try zone.change(3...4), ticket: 1)
        #expect(sequencer.run().changes.isEmpty)
        #expect(sequencer.run().obstacle == .gap)
        #expect(sequencer.settle(upTo: 0) == [])
        sequencer.offer(try zone.change(1...2))
        #expect(spans(sequencer.run()) == [1...2, 3...4])
        #expect(sequencer.settle(upTo: 2) == [])
        #expect(sequencer.settle(upTo: 4) == [1])
    }

    @Test func whatIsNextWithoutItsRecordsIsReadFromTheLog() throws {
        var sequencer = Sequencer()
        sequencer.offer(try zone.change(1...3, hasRecords: false), ticket: 1)
        #expect(sequencer.run().obstacle == .unreadable)
        sequencer.offer(try zone.change(1...1))
        #expect(spans(sequencer.run()) == [1...1])
        #expect(sequencer.run().obstacle == .unreadable)
        sequencer.offer(try zone.change(2...3))
        #expect(spans(sequencer.run()) == [1...1, 2...3])
        #expect(sequencer.settle(upTo: 3) == [1])
    }

    @Test func whatWasDeliveredKeepsItsTicketUntilItIsSettled() throws {
        var sequencer = Sequencer()
        sequencer.offer(try zone.change(1...2), ticket: 1)
        sequencer.deliver(upTo: 2)
        sequencer.offer(try zone.change(3...3), ticket: 2)
        #expect(spans(sequencer.run()) == [3...3])
        sequencer.deliver(upTo: 3)
        #expect(sequencer.run().changes.isEmpty)
        #expect(sequencer.run().obstacle == nil)
        // No event waits for another, so nothing can be removed.
        #expect(sequencer.ticketCount == 0)
        #expect(sequencer.keepLast() == [])
        #expect(sequencer.settle(upTo: 2) == [1])
        #expect((sequencer.settled, sequencer.delivered) == (2, 3))
        #expect(sequencer.settle(upTo: 3) == [2])
        #expect(sequencer.isIdle)
    }

    /// Several pages of the log may be delivered while one cursor waits.
    @Test func changesFromTheLogAreReleasedOnceDelivered() throws {
        var sequencer = Sequencer()
        sequencer.offer(try zone.change(5...5), ticket: 1)
        sequencer.offer(try zone.change(1...2))
        sequencer.deliver(upTo: 2)
        sequencer.offer(try zone.change(3...6))
        sequencer.deliver(upTo: 6)
        // Another instance had moved the cursor. The repeated changes are read from the log again.
        #expect(sequencer.place(at: 1) == [])
        #expect(spans(sequencer.run()) == [])
        #expect(sequencer.run().obstacle == .gap)
        sequencer.offer(try zone.change(2...4))
        #expect(spans(sequencer.run()) == [2...4, 5...5])
        #expect(sequencer.settle(upTo: 5) == [1])
        #expect(sequencer.isIdle)
    }

    @Test func whatWasDeliveredIsCutOff() throws {
        var sequencer = Sequencer()
        _ = sequencer.settle(upTo: 2)
        sequencer.offer(try zone.change(1...4), ticket: 1)
        let run = sequencer.run()
        #expect(spans(run) == [3...4])
        #expect(run.changes[0].records?.map(\.name) == ["r3", "r4"])
    }

    @Test func transactionsArePreferredToWhatMergesThem() throws {
        var sequencer = Sequencer()
        sequencer.offer(try zone.change(1...5, isMerged: true))
        sequencer.offer(try zone.change(1...2), ticket: 1)
        sequencer.offer(try zone.change(3...3), ticket: 2)
        let run = sequencer.run()
        #expect(spans(run) == [1...2, 3...3, 4...5])
        #expect(run.changes.map(\.event.isMerged) == [false, false, true])
    }

    @Test func itGoesBackToACursorThatStandsBehind() throws {
        var sequencer = Sequencer()
        _ = sequencer.settle(upTo: 5)
        sequencer.offer(try zone.change(6...6), ticket: 1)
        #expect(sequencer.place(at: 3) == [])
        #expect(sequencer.run().obstacle == .gap)
        sequencer.offer(try zone.change(4...5))
        #expect(spans(sequencer.run()) == [4...5, 6...6])
    }

    @Test func ofWhatWaitsOnlyTheFarthestIsKept() throws {
        var sequencer = Sequencer()
        for seq: Int64 in [4, 7, 5, 7] { sequencer.offer(try zone.change(seq...seq), ticket: Int(seq)) }
        #expect(sequencer.keepLast().sorted() == [4, 5, 7])
        #expect(sequencer.keepLast() == [])
        #expect(sequencer.run().obstacle == .gap)
        sequencer.offer(try zone.change(1...6))
        #expect(spans(sequencer.run()) == [1...6, 7...7])
        #expect(sequencer.settle(upTo: 7) == [7])
    }

    /// Events of random transactions arrive in random order. Some arrive twice, some are split differently, some have
    /// no records, and some never arrive. The log answers at random times. In all cases, every number is delivered once
    /// and in order. A ticket is returned once, and not before its event was delivered.
    @Test(arguments: 0..<300) func everyChangeIsDeliveredOnceAndInOrder(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let last = Int64.random(in: 1...40, using: &random)
        let transactions = pieces(1...last, &random)
        var arrivals = transactions + transactions.filter { _ in Bool.random(using: &random) }
        arrivals += pieces(1...last, &random).filter { _ in Int.random(in: 0..<4, using: &random) == 0 }
        arrivals.removeAll { _ in Int.random(in: 0..<4, using: &random) == 0 }
        arrivals.shuffle(using: &random)

        var sequencer = Sequencer()
        var tickets: [Int: Int64] = [:]
        var delivered: [Int64] = []
        func deliver() {
            let run = sequencer.run()
            for change in run.changes {
                #expect(change.records?.map(\.seq) == Array(change.fromSeq...change.toSeq))
                delivered += change.fromSeq...change.toSeq
            }
            // Sometimes the publish fails, and everything is delivered again.
            if Int.random(in: 0..<5, using: &random) == 0 {
                delivered.removeLast(Int(run.reached - sequencer.delivered))
                return
            }
            for ticket in sequencer.settle(upTo: run.reached) {
                let seq = tickets.removeValue(forKey: ticket)
                #expect(seq.map { $0 <= run.reached } == true)
            }
        }
        func readLog() throws {
            let merges = Bool.random(using: &random)
            let page =
                merges ? [sequencer.delivered + 1...last] : transactions.filter { $0.upperBound > sequencer.delivered }
            for span in page.prefix(Int.random(in: 1...3, using: &random)) where span.upperBound > sequencer.delivered {
                sequencer.offer(try zone.change(span, isMerged: merges))
            }
        }

        for (ticket, span) in arrivals.enumerated() {
            tickets[ticket] = span.upperBound
            let hasRecords = Int.random(in: 0..<6, using: &random) > 0
            sequencer.offer(try zone.change(span, hasRecords: hasRecords), ticket: ticket)
            if Bool.random(using: &random) { deliver() }
            if Int.random(in: 0..<6, using: &random) == 0, sequencer.delivered < last { try readLog() }
        }
        while sequencer.delivered < last {
            try readLog()
            deliver()
        }
        deliver()
        _ = sequencer.settle(upTo: last).map { tickets.removeValue(forKey: $0) }
        #expect(delivered == Array(1...last))
        #expect(tickets.isEmpty)
        #expect(sequencer.isIdle)
    }

    private func pieces(_ span: ClosedRange<Int64>, _ random: inout SeededGenerator) -> [ClosedRange<Int64>] {
        var pieces: [ClosedRange<Int64>] = []
        var start = span.lowerBound
        while start <= span.upperBound {
            let end = min(span.upperBound, start + Int64.random(in: 0...4, using: &random))
            pieces.append(start...end)
            start = end + 1
        }
        return pieces
    }

    /// The database has lost delivered changes of the zone, and assigns their numbers again.
    @Test func aYoungerChangeUnderANumberThatWasDeliveredIsNoRepeat() throws {
        var sequencer = Sequencer()
        _ = sequencer.place(at: 5, at: 1000)
        sequencer.offer(try zone.change(5...5, at: 1000), ticket: 1)
        sequencer.offer(try zone.change(4...4, at: 900), ticket: 2)
        #expect(sequencer.firstReissued == nil)
        sequencer.offer(try zone.change(4...4, at: 2000), ticket: 3)
        #expect(sequencer.firstReissued == 4)
        #expect(sequencer.settle(upTo: 0) == [2, 1])
        #expect(sequencer.place(at: 3, at: 1000) == [])
        #expect(sequencer.firstReissued == nil)
        #expect(spans(sequencer.run()) == [4...4])
        sequencer.deliver(upTo: 4, at: 2000)
        #expect(sequencer.settle(upTo: 4) == [3])
        #expect(sequencer.isIdle)
    }

    @Test func withoutATimeNothingIsYounger() throws {
        var sequencer = Sequencer()
        _ = sequencer.place(at: 5)
        sequencer.offer(try zone.change(4...4, at: 2000), ticket: 1)
        #expect(sequencer.firstReissued == nil)
        #expect(sequencer.settle(upTo: 0) == [1])
    }

    /// One transaction has the numbers of several lost ones, and further numbers.
    @Test func aYoungerChangeThatBeginsUnderANumberThatWasDeliveredIsWhole() throws {
        var sequencer = Sequencer()
        _ = sequencer.place(at: 5, at: 1000)
        sequencer.offer(try zone.change(4...8, at: 2000), ticket: 1)
        #expect(sequencer.firstReissued == 4)
        // The change is not left to the log before the cursor has been lowered.
        #expect(sequencer.keepLast() == [])
        _ = sequencer.place(at: 3, at: 1000)
        #expect(spans(sequencer.run()) == [4...8])
    }

    @Test func aPageOfTheLogThatIsReadTwiceIsKeptOnce() throws {
        var sequencer = Sequencer()
        for _ in 0..<2 { for seq: Int64 in 1...3 { sequencer.offer(try zone.change(seq...seq)) } }
        #expect(spans(sequencer.run()) == [1...1, 2...2, 3...3])
        sequencer.deliver(upTo: 3)
        #expect(sequencer.isIdle)
    }
}
