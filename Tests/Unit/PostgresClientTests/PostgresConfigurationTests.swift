import Testing

@testable import PostgresClient

@Suite("Configuration")
struct PostgresConfigurationTests {
    @Test func `Settings come out by name, schemas quoted, times in milliseconds`() {
        var configuration = PostgresConfiguration(url: "postgresql://localhost")
        #expect(configuration.settings.isEmpty)
        configuration.parameters = ["lock_timeout": "5s", "jit": "off"]
        configuration.statementTimeout = .microseconds(1500)
        configuration.searchPath = ["record", "od\"d"]
        #expect(configuration.settings.map(\.name) == ["jit", "lock_timeout", "statement_timeout", "search_path"])
        #expect(configuration.settings.map(\.value) == ["off", "5s", "2", "\"record\", \"od\"\"d\""])
    }

    @Test func `The URL overrides the defaults and not what the configuration names`() throws {
        let keywords = PostgresConfiguration(url: "u").connectionParameters.map(\.keyword)
        let url = try #require(keywords.firstIndex(of: "dbname"))
        #expect(try #require(keywords.firstIndex(of: "keepalives_idle")) < url)
        #expect(try #require(keywords.firstIndex(of: "application_name")) > url)
    }

    @Test func `Transaction modes are spelled out, and read only once`() {
        #expect(PostgresCall.begin(.readCommitted).statement == "begin")
        #expect(
            PostgresCall.begin(.repeatableRead.readOnly.readOnly).statement.sql
                == "begin isolation level repeatable read read only")
        #expect(!PostgresCall.rollback.statement.isPrepared)
    }
}
