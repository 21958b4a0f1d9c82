import AMQPClient
import CloudKitWire
import Glibc
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Moves of more records than one transaction moves, which a background job completes.
    @Suite(.timeLimit(.minutes(4))) struct LargeMoveTests {
        private typealias Scenario = SharedNotificationScenario

        private static let settings = ["ZONDA_LIMIT_CASCADE": "50"]
        private static let items = (0..<150).map { "i\($0)" }

        /// The job of the first service waits for a lock that the test holds when the service is killed.
        @Test func oneServiceFinishesTheMoveThatAnotherBegan() async throws {
            try await ServiceStack.with { stack in
                let doomed = try await stack.startService(.record, Self.settings)
                try await stack.startService(.subscription)
                try await Scenario.run(on: stack) { scenario in
                    let (owner, ann) = (scenario.owner, scenario.ann)
                    for root in ["left", "shelf"] { try await owner.save(root) }
                    try await owner.plant("box", below: "left", with: Self.items)
                    let share = try await owner.share("L", of: "left", [ann: "READ_ONLY"])
                    // The records enter the share.
                    try await Self.finishJob(in: stack)
                    try await ann.accept(share)
                    let token = try await ann.feed().token
                    try await Self.whileLocked("i77", in: stack) {
                        try await owner.save("box", below: "shelf")
                        try await eventually("the job waits", within: .seconds(30)) {
                            let waiting = try await stack.database.query(
                                """
                                select from pg_locks l join pg_stat_activity a on a.pid = l.pid
                                where a.datname = current_database() and not l.granted
                                """)
                            return waiting.isEmpty ? nil : true
                        }
                        try await stack.startService(.record, Self.settings)
                        doomed.kill()
                        _ = try await doomed.exit(within: .seconds(10))
                        // The other service hides at once what has left.
                        #expect(try await ann.feed(since: token).names == ["-box"])
                        #expect(Set(try await ann.feed().names) == ["L", "left"])
                    }
                    // The claim of the killed service hides the job for a minute.
                    try await stack.database.query("update record.job set due_at = now() where kind = 'share.move'")
                    try await Self.finishJob(in: stack)
                    #expect(Set(try await ann.feed(since: token).names) == Set((Self.items + ["box"]).map { "-" + $0 }))
                    #expect(Set(try await ann.feed().names) == ["L", "left"])
                }
                for service in stack.services where service.exit == nil { #expect(service.errors == []) }
            }
        }

        @Test func participantsHearWhatTheJobMovesAndTheOwnerDoesNot() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService(.record, Self.settings)
                try await stack.startService(.subscription)
                try await Scenario.run(on: stack) { scenario in
                    let (owner, ann, bob) = (scenario.owner, scenario.ann, scenario.bob)
                    for root in ["left", "right"] { try await owner.save(root) }
                    try await owner.plant("box", below: "left", with: Self.items)
                    let left = try await owner.share("L", of: "left", [ann: "READ_ONLY"])
                    let right = try await owner.share("R", of: "right", [bob: "READ_ONLY"])
                    try await Self.finishJob(in: stack)
                    try await ann.accept(left)
                    try await bob.accept(right)
                    let tokens = (try await ann.feed().token, try await bob.feed().token)
                    try await owner.save("box", below: "right")
                    // The acceptance, the move of `box`, and the step of the job.
                    #expect(try await ann.heard(3) == ["all", "all", "all"])
                    #expect(try await bob.heard(3) == ["all", "all", "all"])
                    let all = Self.items + ["box"]
                    #expect(Set(try await ann.feed(since: tokens.0).names) == Set(all.map { "-" + $0 }))
                    #expect(Set(try await bob.feed(since: tokens.1).names) == Set(all))
                    // What follows shows that nothing else was heard.
                    try await owner.save("left")
                    try await owner.save("right")
                    #expect(try await ann.heard(4) == ["all", "all", "all", "left"])
                    #expect(try await bob.heard(4) == ["all", "all", "all", "right"])
                    let planted = all.sorted().joined(separator: " ")
                    #expect(
                        try await owner.heard(10) == [
                            "left", "right", planted, "L left", "R right", "L", "R", "box", "left", "right",
                        ])
                }
                for service in stack.services { #expect(service.errors == []) }
            }
        }

        private static func finishJob(in stack: ServiceStack) async throws {
            try await eventually("the job has finished", within: .seconds(60)) {
                try await stack.database.query("select from record.job where kind = 'share.move'").isEmpty ? true : nil
            }
        }

        /// Runs `body` while another session holds the lock of a record.
        private static func whileLocked(
            _ name: String, in stack: ServiceStack, _ body: () async throws -> Void
        ) async throws {
            let lock = PostgresStatement(
                """
                with held as materialized (select name from record.record where name = '\(name)' for update)
                select pg_sleep(120) from (select count(*) from held) h
                """)
            async let holder = stack.database.query(lock)
            func release() async throws {
                try await stack.database.query(
                    """
                    select pg_cancel_backend(pid) from pg_stat_activity
                    where datname = current_database() and wait_event = 'PgSleep'
                    """)
            }
            try await eventually("the lock is held") {
                let rows = try await stack.database.query(
                    "select from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'")
                return rows.isEmpty ? nil : true
            }
            do {
                try await body()
            } catch {
                try await release()
                _ = try? await holder
                throw error
            }
            try await release()
            _ = try? await holder
        }
    }
}

extension SharedNotificationScenario.User {
    /// Reads the owner's zone as a participant: the names, with a minus sign if the record was deleted.
    fileprivate func feed(since token: String? = nil) async throws -> (names: [String], token: String) {
        var (names, reached) = ([String](), token)
        while true {
            let page = try await client.with(Header.database, "shared").changes(
                SharedNotificationScenario.zone, owner: owner, since: reached)
            names += try #require(page["records"]?.array, "\(page)").map {
                ($0["deleted"] == true ? "-" : "") + ($0["recordName"]?.string ?? "?")
            }
            reached = try #require(page["syncToken"]?.string)
            if page["moreComing"] != true { return (names, try #require(reached)) }
        }
    }
}
