import Testing

@testable import AMQPClient

@Suite struct AMQPConfigurationTests {
    @Test(arguments: [
        ("amqp://", "localhost", 5672, "/", "guest"),
        ("amqp://broker", "broker", 5672, "/", "guest"),
        ("amqp://broker/", "broker", 5672, "/", "guest"),
        ("amqp://u:p@broker:1234/%2f", "broker", 1234, "/", "u"),
        ("amqp://u%40x:p@broker/zonda", "broker", 5672, "zonda", "u@x"),
        ("amqps://[::1]/a%2Fb", "::1", 5671, "a/b", "guest"),
    ])
    func partsAndDefaults(url: String, host: String, port: Int, virtualHost: String, user: String) throws {
        let configuration = try AMQPConfiguration(url: url)
        #expect(configuration.host == host)
        #expect(configuration.port == port)
        #expect(configuration.virtualHost == virtualHost)
        #expect(configuration.user == user)
        #expect((configuration.tls != nil) == url.hasPrefix("amqps"))
    }

    @Test func tlsParameters() throws {
        let configuration = try AMQPConfiguration(
            url: "amqps://h?cacertfile=/ca.pem&certfile=/c.pem&keyfile=/k.pem&verify=verify_none&heartbeat=30")
        let tls = try #require(configuration.tls)
        #expect(tls.authoritiesFile == "/ca.pem")
        #expect(tls.certificateFile == "/c.pem")
        #expect(tls.keyFile == "/k.pem")
        #expect(!tls.verifiesPeer)
        #expect(configuration.heartbeat == .seconds(30))
    }

    @Test func thePeerIsVerifiedUnlessConfiguredOtherwise() throws {
        #expect(try AMQPConfiguration(url: "amqps://h").tls?.verifiesPeer == true)
    }

    @Test(arguments: [
        "", "http://h", "amqp://h/a/b", "amqp://h?verify=verify_peer", "amqps://h?verify=perhaps",
        "amqp://h?heartbeat=0", "amqp://h?heartbeat=soon", "amqp://h?unknown=1",
    ])
    func wrongURLsAreRefused(url: String) {
        #expect(throws: AMQPError(.refused, "")) { try AMQPConfiguration(url: url) }
    }

    @Test func descriptionKeepsThePasswordSecret() throws {
        let configuration = try AMQPConfiguration(url: "amqp://user:secret@h/v")
        #expect("\(configuration)" == "amqp://user@h:5672/v")
    }
}
