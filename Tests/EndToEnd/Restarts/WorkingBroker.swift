import AMQPClient
import ServiceMessages
import TestSupport
import Testing

/// Restarts the broker before a test, and prints its state, if the broker can no longer declare queues that dead-letter
/// at least once.
///
/// RabbitMQ 3.10 gets into this state if supervisors of quorum queues give up (rabbitmq-server 16652 and 4512), and
/// only a restart helps. ``TestBrokerVhost/delete()`` avoids the known cause.
struct WorkingBroker: TestTrait, SuiteTrait, TestScoping {
    let isRecursive = true

    func scopeProvider(for test: Test, testCase: Test.Case?) -> WorkingBroker? { test.isSuite ? nil : self }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable @concurrent () async throws -> Void
    ) async throws {
        if let environment = TestEnvironment.current { try await Self.repair(environment) }
        try await function()
    }

    private static func repair(_ environment: TestEnvironment) async throws {
        do {
            try await declareAndDelete(try AMQPConfiguration(url: environment.amqpURL))
        } catch {
            let state = try? await environment.control("erlang", Self.state)
            print("The broker of the tests declares no quorum queue, and is restarted: \(error)\n\(state ?? "")")
            try await environment.control("restart", "rabbitmq")
        }
    }

    private static func declareAndDelete(_ configuration: AMQPConfiguration) async throws {
        let name = TestEnvironment.uniqueName("queue")
        try await AMQPChannelSession.with(configuration) { session in
            _ = try await session.declare(
                AMQPQueue(
                    name: name,
                    arguments: [
                        "x-queue-type": "quorum", "x-dead-letter-exchange": "", "x-overflow": "reject-publish",
                        "x-dead-letter-strategy": "at-least-once",
                    ]))
            _ = try await session.deleteQueue(name)
        }
    }

    private static let state = """
        {[{Name, whereis(Name)} || Name <- [ra_systems_sup, ra_log_sup, ra_log_wal, ra_log_segment_writer,
            ra_server_sup_sup, rabbit_fifo_dlx_sup]], rabbit_alarm:get_alarms(), rabbit_nodes:all_running(),
            [{Limit, erlang:system_info(Limit)} || Limit <- [process_count, port_count, atom_count, ets_count]],
            file_handle_cache:info()}.
        """
}

extension Trait where Self == WorkingBroker {
    /// Each test begins with a working broker.
    static var workingBroker: WorkingBroker { WorkingBroker() }
}
