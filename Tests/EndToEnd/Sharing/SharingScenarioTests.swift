import TestSupport
import Testing

extension EndToEndTests {
    /// The rules of sharing (semantics 11), each over AMQP and over HTTP with sessions of users.
    @Suite(.sharedGateway, .timeLimit(.minutes(3))) struct SharingScenarioTests {
        @Test(arguments: SharingScenario.all, SharingUser.Transport.allCases)
        func theRuleHolds(scenario: SharingScenario, transport: SharingUser.Transport) async throws {
            var stage = try await SharingStage(transport, on: try SharedStack.current)
            try await stage.run(scenario)
        }
    }
}
