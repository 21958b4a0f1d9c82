import CloudKitWire
import Glibc
import TestSupport
import Testing

extension EndToEndTests {
    /// Four producers write to a hundred zones while services stop and start. No acknowledged write is lost, and
    /// nothing is done twice.
    @Suite(.timeLimit(.minutes(5))) struct LoadTests {
        @Test func undisturbedLoadLosesNothing() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService()
                let load = try await LoadRun(on: stack, seconds: LoadRun.seconds)
                try await load.expectNothingLost()
                try await load.expectSmall(service)
            }
        }

        @Test func killedServiceLosesNothing() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService()
                let load = try await LoadRun(on: stack) {
                    service.kill()
                    let exit = try await service.exit(within: .seconds(10))
                    #expect(exit == .signal(SIGKILL))
                    try await stack.startService()
                }
                try await load.expectNothingLost()
                try await load.expectSmall(try #require(stack.services.last))
            }
        }

        @Test func twoServicesShareALoadWithoutDeadlocks() async throws {
            try await ServiceStack.with { stack in
                let services = [try await stack.startService(), try await stack.startService()]
                let load = try await LoadRun(on: stack)
                try await load.expectNothingLost()
                for service in services {
                    #expect(try await service.metric("zonda_changes_total") > 0)
                    #expect(!service.log.contains("40P01"))
                    try await load.expectSmall(service)
                }
            }
        }

        @Test func oneOfTwoServicesEndsUnderLoadUnnoticed() async throws {
            try await ServiceStack.with { stack in
                let leaving = try await stack.startService()
                try await stack.startService()
                let load = try await LoadRun(on: stack) {
                    leaving.terminate()
                    let exit = try await leaving.exit(within: .seconds(10))
                    #expect(exit == .code(0))
                }
                try await load.expectNothingLost()
                #expect(load.report["retried"] == 0, "a producer had to ask again")
            }
        }
    }
}
