package import AMQPClient
import Foundation
import ServiceMessages

/// A virtual host that only one suite uses, with the exchanges and queues of a deployment.
package struct TestBrokerVhost: Sendable {
    /// The name of the virtual host.
    package let name: String
    /// The administrator's URL for the virtual host.
    package let url: String
    private let environment: TestEnvironment

    /// Creates the virtual host and grants the administrator all permissions in it.
    ///
    /// - Throws: ``TestFailure``.
    package static func make(in environment: TestEnvironment) async throws -> TestBrokerVhost {
        let name = TestEnvironment.uniqueName("vhost")
        guard var url = URLComponents(string: environment.amqpURL), let user = url.user else {
            throw TestFailure("ZONDA_TEST_AMQP_URL is invalid")
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

    /// Deletes the virtual host and everything in it.
    ///
    /// Just after the start of the broker, its queues may still be electing their leaders. RabbitMQ 3.10 must not
    /// delete them then: if a queue is deleted, the worker that dead-letters its messages crashes twice. The crash also
    /// ends the supervisor `rabbit_fifo_dlx_sup`, without which no such queue works until the next start
    /// (rabbitmq-server 16652). Therefore, this method first waits until each queue has a leader, and each worker has
    /// registered with it.
    ///
    /// - Throws: ``TestFailure``.
    package func delete() async throws {
        try await environment.control(
            "erlang",
            """
            [catch ra:members(amqqueue:get_pid(Q), 20000) || Q <- rabbit_amqqueue:list(<<"\(name)">>),
                amqqueue:get_type(Q) =:= rabbit_quorum_queue],
            [catch sys:get_state(Pid, 20000) || {_, Pid, _, _} <- supervisor:which_children(rabbit_fifo_dlx_sup),
                is_pid(Pid)],
            rabbit_vhost:delete(<<"\(name)">>, <<"test">>).
            """)
    }

    /// Returns the configuration of a connection to the virtual host.
    ///
    /// - Throws: `AMQPError`.
    package func configuration() throws -> AMQPConfiguration {
        var configuration = try AMQPConfiguration(url: url)
        configuration.connectionName = "zonda-test"
        return configuration
    }
}
