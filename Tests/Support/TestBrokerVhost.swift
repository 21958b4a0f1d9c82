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
    /// Just after the broker's start its queues may still elect their leaders. RabbitMQ 3.10 then must not delete them: the
    /// worker that dead-letters for a queue crashes twice when its queue is deleted under it, and takes its supervisor
    /// `rabbit_fifo_dlx_sup` with it, without which no such queue works any more until the next start (rabbitmq-server
    /// 16652). So first each queue has a leader, and each worker has registered with it.
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

    /// How to connect to it.
    ///
    /// - Throws: `AMQPError`.
    package func configuration() throws -> AMQPConfiguration {
        var configuration = try AMQPConfiguration(url: url)
        configuration.connectionName = "zonda-test"
        return configuration
    }
}
