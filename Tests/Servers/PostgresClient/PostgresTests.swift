import Testing

/// The tests that need a server.
///
/// One after the other, because among them are some that restart the server, which breaks every connection there is.
@Suite(.serialized, .enabled(if: TestServer.isAvailable), .timeLimit(.minutes(2)))
struct PostgresTests {}
