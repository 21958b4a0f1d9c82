import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Queries of all kinds on one stack, in which two record services answer in turn. Each test has its own container.
    @Suite(SharedStack(services: [.asset, .record, .record]), .timeLimit(.minutes(3))) enum QueryTests {}
}
