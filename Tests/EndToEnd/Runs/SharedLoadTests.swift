import Glibc
import PostgresClient
import TestSupport
import Testing

extension EndToEndTests {
    /// The same as ``LoadTests``, with ten participants who save records of shares.
    @Suite(.timeLimit(.minutes(5))) struct SharedLoadTests {
        @Test(arguments: [1, 100]) func killedServicesLoseNothingOfTenParticipants(shares: Int) async throws {
            try await ServiceStack.with { stack in
                let doomed = try await stack.startService()
                try await stack.startService()
                let load = try await LoadRun(
                    on: stack, options: ["--participants", "10", "--shares", "\(shares)", "--rate", "250"]
                ) {
                    doomed.kill()
                    let exit = try await doomed.exit(within: .seconds(10))
                    #expect(exit == .signal(SIGKILL))
                    try await stack.startService()
                }
                load.expectNothingFailed()
                let counters = try await ZoneCounters(of: stack.database)
                #expect(counters.zones == shares)
                #expect(counters.logged == counters.sum)
                #expect(counters.zonesWithGapsOrOverlaps == 0)
                #expect(counters.distinctRequests == counters.requests)
                #expect(counters.deadlocks == 0)
                let zones = try await stack.database.query(
                    "select id from record.zone where name like 'load-%' order by id limit 10")
                var members = 0
                for zone in zones {
                    let membership = try await ZoneMembership(ofRow: zone.int64(0)) { statement, parameters in
                        try await stack.database.query(statement, parameters)
                    }
                    #expect(membership.problems == [])
                    members += membership.members.values.reduce(0) { $0 + $1.count }
                }
                // Each share has a root and a share record.
                #expect(members > 2 * zones.count)
                for service in stack.services { #expect(service.errors == []) }
            }
        }
    }
}
