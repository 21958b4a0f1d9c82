package import AMQPClient
import Foundation
import ServiceMessages

/// A virtual host of its own for a suite, with the exchanges and queues of a deployment, that no other suite sees.
package struct TestBrokerVhost: Sendable {
    /// Its name.
    package let name: String
    /// The administrator's URL in it.
    package let url: String
    private let environment: TestEnvironment

    /// Makes the virtual host and lets the administrator do everything in it.
    ///
    /// - Throws: ``TestFailure``.
    package static func make(in environment: TestEnvironment) async throws -> TestBrokerVhost {
        let name = TestEnvironment.uniqueName("vhost")
        guard var url = URLComponents(string: environment.amqpURL), let user = url.user else {
            throw TestFailure("ZONDA_TEST_AMQP_URL cannot be read")
        }
        try await environment.control(
            "erlang",
            """
            ok = rabbit_vhost:add(<<"\(name)">>, <<"test">>),
            ok = rabbit_auth_backend_internal:set_permissions(
                <<"\(user)">>, <<"\(name)">>, <<".*">>, <<".*">>, <<".*">>, <<"test">>).
            """)
        url.path = "/\(name)"
        let vhost = TestBrokerVhost(name: name, url: url.string ?? "", environment: environment)
        try await AMQPChannelSession.with(try vhost.configuration()) { try await $0.declare(Topology.all) }
        return vhost
    }

    /// Removes it with everything in it.
    ///
    /// - Throws: ``TestFailure``.
    package func delete() async throws {
        try await environment.control("erlang", "rabbit_vhost:delete(<<\"\(name)\">>, <<\"test\">>).")
    }

    /// How to connect to it.
    ///
    /// - Throws: `AMQPError`.
    package func configuration() throws -> AMQPConfiguration {
        var configuration = try AMQPConfiguration(url: url)
        configuration.connectionName = "zonda-test"
        return configuration
    }
}
