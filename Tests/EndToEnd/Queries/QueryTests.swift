import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// Queries of all kinds, of one stack: two record services answer in turn. Each test has a container of its own.
    @Suite(SharedStack(services: [.asset, .record, .record]), .timeLimit(.minutes(3))) enum QueryTests {}
}
