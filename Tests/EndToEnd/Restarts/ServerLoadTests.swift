import TestSupport
import Testing

extension EndToEndTests.RestartTests {
    /// The same as ``EndToEndTests/LoadTests``, while a server stops and starts.
    @Suite(.timeLimit(.minutes(5))) struct ServerLoadTests {
        @Test func restartedBrokerLosesNothing() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService()
                let load = try await LoadRun(on: stack) { try await stack.environment.control("restart", "rabbitmq") }
                try await load.expectNothingLost()
                try await load.expectSmall(service)
            }
        }

        @Test func killedBrokerLosesNothing() async throws {
            try await ServiceStack.with { stack in
                try await stack.startService()
                let load = try await LoadRun(on: stack) {
                    try await stack.environment.control("kill", "rabbitmq")
                    try await stack.environment.control("start", "rabbitmq")
                }
                try await load.expectNothingLost()
            }
        }

        @Test func restartedDatabaseLosesNothing() async throws {
            try await ServiceStack.with { stack in
                let service = try await stack.startService()
                let load = try await LoadRun(on: stack) { try await stack.environment.control("restart", "postgres") }
                try await load.expectNothingLost()
                try await load.expectSmall(service)
            }
        }
    }
}
