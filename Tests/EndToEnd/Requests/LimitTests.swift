import AMQPClient
import CloudKitWire
import PostgresClient
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Requests that are refused because they exceed a size, a rate, or the features of CloudKit.
    @Suite(
        .sharedStack([
            "ZONDA_LIMIT_PROFILE": "compat", "ZONDA_LIMIT_ZONES": "3", "ZONDA_THROTTLE_USER_RATE": "1",
            "ZONDA_THROTTLE_USER_BURST": "20",
        ]), .timeLimit(.minutes(1))) struct LimitTests
    {
        @Test func compatRefusesWhatCloudKitRefuses() async throws {
            let client = try SharedStack.current.client()
            let capabilities = try await client.ask(.serviceCapabilities)
            #expect(capabilities["profile"] == "compat")
            #expect(capabilities["limits"]?["operations"] == 200 && capabilities["limits"]?["zones"] == 3)

            let creation = JSONValue.operation("create", "a", ["n": 1])
            let atomic = try await client.modify("_defaultZone", creation, atomic: true)
            #expect(atomic.status == 400 && atomic["reason"] == "atomic operations not supported in default zone")
            let saved = try await client.ask(.recordsModify, .modify("_defaultZone", [creation], atomic: nil))
            #expect(saved["records"]?[0]?.changeTag != nil)

            let feed = try await client.changes("_defaultZone")
            #expect(feed["reason"] == "cannot get changes in default zone" && feed["ckErrorCode"] == 12)
            let database = try await client.with(Header.database, "public").databaseChanges()
            #expect(database.status == 400 && database["ckErrorCode"] == 24)

            let many = JSONValue.modify("Notes", Array(repeating: .operation("forceDelete", "a"), count: 201))
            let tooMany = try await client.ask(.recordsModify, many)
            #expect(tooMany["ckErrorCode"] == 27 && tooMany["limit"] == 200 && tooMany["actual"] == 201)
            let zones = try await client.ask(
                .zonesLookup, ["zones": .array(Array(repeating: .zone("Notes"), count: 4))])
            #expect(zones["ckErrorCode"] == 27 && zones["limit"] == 3 && zones["actual"] == 4)
        }

        @Test func a18_aUserOverTheRateLearnsHowLongToWaitAndOthersAreServed() async throws {
            let client = try SharedStack.current.client()
            let other = try SharedStack.current.client()
            var refusal: TestReply?
            // A burst of twenty is permitted, and one more request for every second that passes.
            for _ in 1...60 where refusal == nil {
                let reply = try await client.ask(.zonesList)
                if reply.status != 200 { refusal = reply }
            }
            let throttled = try #require(refusal)
            #expect(throttled.status == 429 && throttled["serverErrorCode"] == "THROTTLED")
            let seconds = try #require(throttled["retryAfter"]?.int)
            #expect(seconds == 1)
            #expect(try await other.ask(.zonesList).status == 200)
            try await Task.sleep(for: .seconds(seconds))
            #expect(try await client.ask(.zonesList).status == 200)
        }

        @Test func a18_aBusyZoneIsReportedWithRetryAfter() async throws {
            let stack = try SharedStack.current
            let (client, neighbour) = (stack.client(), stack.client())
            for (user, zone) in [(client, "Busy"), (neighbour, "Calm")] {
                try await user.zones("create", zone)
                try await user.save(zone, "a", ["n": 1])
            }
            async let holder = stack.database.query(
                """
                with held as (select id from record.zone where name = 'Busy' for update)
                select pg_sleep(60) from held
                """)
            try await eventually("the zone is held") {
                let rows = try await stack.database.query(
                    "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'")
                return rows.isEmpty ? nil : true
            }
            let busy = try await client.modify("Busy", .operation("forceUpdate", "a", ["n": 2]))
            #expect(busy.status == 503 && busy["serverErrorCode"] == "TRY_AGAIN_LATER")
            #expect(busy["ckErrorCode"] == 23 && busy["reasonCode"] == "zone_busy")
            #expect((busy["retryAfter"]?.int ?? 0) >= 1)
            try await neighbour.save("Calm", "a", ["n": 2])
            _ = try await stack.database.query(
                """
                select pg_cancel_backend(pid) from pg_stat_activity
                where datname = current_database() and wait_event = 'PgSleep'
                """)
            _ = try? await holder
            try await client.save("Busy", "a", ["n": 2])
        }
    }
}
