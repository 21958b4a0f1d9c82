import Testing

@testable import PostgresClient

struct PostgresConfigurationTests {
    @Test func settingsAreSentByNameWithQuotedSchemasAndTimesInMilliseconds() {
        var configuration = PostgresConfiguration(url: "postgresql://localhost")
        #expect(configuration.settings.isEmpty)
        configuration.parameters = ["lock_timeout": "5s", "jit": "off"]
        configuration.statementTimeout = .microseconds(1500)
        configuration.searchPath = ["record", "od\"d"]
        #expect(configuration.settings.map(\.name) == ["jit", "lock_timeout", "statement_timeout", "search_path"])
        #expect(configuration.settings.map(\.value) == ["off", "5s", "2", "\"record\", \"od\"\"d\""])
    }

    @Test func theURLOverridesTheDefaultsAndNotTheConfiguration() throws {
        let keywords = PostgresConfiguration(url: "u").connectionParameters.map(\.keyword)
        let url = try #require(keywords.firstIndex(of: "dbname"))
        #expect(try #require(keywords.firstIndex(of: "keepalives_idle")) < url)
        #expect(try #require(keywords.firstIndex(of: "application_name")) > url)
    }

    @Test func aPasswordOfItsOwnOverridesTheURLs() throws {
        var configuration = PostgresConfiguration(url: "postgres://u:one@h/d")
        #expect(!configuration.connectionParameters.contains { $0.keyword == "password" })
        configuration.password = "two"
        let last = try #require(configuration.connectionParameters.last)
        #expect(last == ("password", "two"))
        #expect(!"\(configuration)".contains("one") && !"\(configuration)".contains("two"))
    }

    @Test(arguments: [
        ("postgres://u:p@h:5432/d", true), ("postgresql://h1:1,h2:2/d?target_session_attrs=any", true),
        ("host=h dbname=d", true), ("", true), ("postgres://u:p/w@h/d", false), ("postgres://u:%zz@h/d", false),
        ("postgres://h/d?colour=red", false), ("database", false), ("postgres://u:pa@ss@h/d", false),
        ("postgres://u:12/34@h/d", false), ("postgres://u:pa%40ss%2F@h/d", true),
    ])
    func aURLIsReadAsLibpqReadsIt(url: String, isGood: Bool) {
        #expect(PostgresConfiguration.canRead(url) == isGood)
    }

    @Test func transactionModesAreSpelledOutAndReadOnlyOnce() {
        #expect(PostgresCall.begin(.readCommitted).statement == "begin isolation level read committed")
        #expect(
            PostgresCall.begin(.repeatableRead.readOnly.readOnly).statement.sql
                == "begin isolation level repeatable read read only")
        #expect(!PostgresCall.rollback.statement.isPrepared)
    }
}
