import Testing

/// The tests that need a server.
///
/// They run one after the other, because some of them restart the server, which breaks all connections.
@Suite(.serialized, .enabled(if: TestServer.isAvailable), .timeLimit(.minutes(2)))
struct PostgresTests {}
