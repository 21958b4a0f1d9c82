import Foundation

/// A RabbitMQ cluster of three nodes on this machine, for a test that kills one of them.
package struct TestCluster: Sendable {
    /// The environment in which node 1 is the broker.
    package let environment: TestEnvironment
    private let ports: [Int]
    private let folder: URL
    private let script: String

    /// Starts a cluster, passes it to `body` and ends it, even after an error.
    ///
    /// - Throws: the errors of `body`; ``TestFailure`` if the nodes do not form a cluster.
    package static func with<Result: Sendable>(_ body: (TestCluster) async throws -> Result) async throws -> Result {
        let cluster = try TestCluster(in: try TestEnvironment.required())
        do {
            try await cluster.environment.control("start")
            let result = try await body(cluster)
            try await cluster.remove()
            return result
        } catch {
            try? await cluster.remove()
            throw error
        }
    }

    private init(in environment: TestEnvironment) throws {
        ports = try (0..<7).map { _ in try HTTPProbe.freePort() }
        folder = FileManager.default.temporaryDirectory.appending(path: TestEnvironment.uniqueName("nodes"))
        script =
            URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../Scripts/rabbitmq-nodes").standardizedFileURL.path
        self.environment = environment.with(
            amqpURL: "amqp://zonda:zonda@127.0.0.1:\(ports[0])/%2F", servers: script,
            variables: [
                "ZONDA_TEST_NODES_FOLDER": folder.path,
                "ZONDA_TEST_NODES_PORTS": ports.map(String.init).joined(separator: " "),
            ])
    }

    /// Returns the port of node 1, 2 or 3.
    package func port(ofNode number: Int) -> Int { ports[number - 1] }

    /// Kills a node as a power failure would, and returns when node 1 has noticed.
    ///
    /// - Throws: ``TestFailure``.
    package func kill(node number: Int) async throws {
        try await environment.control("kill", "\(number)")
        try await environment.control(
            "erlang",
            """
            Wait = fun(Again) ->
                case lists:member('zonda\(number)@localhost', rabbit_nodes:all_running()) of
                    true -> receive after 50 -> Again(Again) end;
                    false -> gone
                end
            end,
            Wait(Wait).
            """)
    }

    private func remove() async throws {
        try await environment.control("stop")
        try? FileManager.default.removeItem(at: folder)
    }
}
