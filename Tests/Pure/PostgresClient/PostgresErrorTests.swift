import Testing

@testable import PostgresClient

struct PostgresErrorTests {
    @Test(arguments: ["40001", "40P01", "26000"] as [SQLState])
    func aTransactionThatLostARaceMayBeRunAgain(state: SQLState) {
        #expect(PostgresError(.server, sqlState: state, message: "").isRetryable)
    }

    @Test func aStatementWhoseResultChangedItsShapeMayBeRunAgainButNoOtherUnsupportedOne() {
        var error = PostgresError(.server, sqlState: .featureNotSupported, message: "")
        #expect(!error.isRetryable)
        error.diagnostics = PostgresError.Diagnostics(sourceFunction: "RevalidateCachedQuery")
        #expect(error.isRetryable)
    }

    @Test(arguments: ["08006", "57P01", "57P02", "57P03", "53300"] as [SQLState])
    func aServerThatGoesAwayIsAConnectionFailure(state: SQLState) {
        let error = PostgresError(.server, sqlState: state, message: "")
        #expect(error.isConnectionFailure)
        #expect(!error.isRetryable)
    }

    @Test(arguments: ["23505", "57014", "42P01"] as [SQLState])
    func otherConditionsAreNeither(state: SQLState) {
        let error = PostgresError(.server, sqlState: state, message: "")
        #expect(!error.isConnectionFailure)
        #expect(!error.isRetryable)
    }

    @Test func onlyTheDebugDescriptionHasTheServersText() {
        var error = PostgresError(
            .server, sqlState: .uniqueViolation, message: "duplicate",
            diagnostics: PostgresError.Diagnostics(detail: "Key (name)=(secret) already exists."))
        error.callIndex = 3
        #expect(error.description == "PostgresError(server, 23505, call 3)")
        #expect(error.debugDescription.contains("secret"))
    }

    @Test func theSQLSTATEOfARefusedConnectionIsFoundInAnyLanguage() {
        let message = "connection to server at \"::1\", port 5432 failed: FATAL:  3D000: database \"x\" does not exist"
        #expect(SQLState(inVerboseMessage: message) == .invalidCatalogName)
        #expect(
            SQLState(inVerboseMessage: "Verbindung … : FATAL:  28P01: Passwort-Authentifizierung") == .invalidPassword)
        #expect(SQLState(inVerboseMessage: "connection refused") == nil)
        #expect(SQLState(inVerboseMessage: "x:  28P0") == nil)
    }

    @Test(
        arguments: [
            ("28P01", "ZONDA_POSTGRES_PASSWORD"), ("28000", "ZONDA_POSTGRES_URL"),
            ("3D000", "There is no such database."),
            ("53300", "max_connections"), ("57P03", "starting"), ("42501", "CONNECT"), ("XX000", "ZONDA_POSTGRES_URL"),
        ] as [(SQLState, String)])
    func aConnectionThatIsRefusedIsExplainedWithTheSettingToChange(state: SQLState, text: String) {
        let error = PostgresError(.connectFailed, sqlState: state, message: "m")
        #expect(error.description.contains(text))
        #expect(error.description.hasSuffix(" (connectFailed, \(state))"))
        #expect(PostgresError(.server, sqlState: state, message: "m").connectionAdvice == nil)
        let places = PostgresError.Places(url: "URL", password: "FILE")
        #expect(error.connectionAdvice(places)?.contains("ZONDA") == false)
    }

    @Test func theErrorOfAnUnreachableServerNamesTheSettingOfItsAddress() {
        let error = PostgresError(.connectFailed, message: "connection refused")
        #expect(error.description.contains("ZONDA_POSTGRES_URL"))
    }

    @Test func refusalsDifferFromTransientErrors() {
        #expect(PostgresError(.connectFailed, sqlState: .invalidPassword, message: "").isRefusal)
        #expect(PostgresError(.connectFailed, sqlState: .invalidCatalogName, message: "").isRefusal)
        #expect(!PostgresError(.connectFailed, sqlState: .cannotConnectNow, message: "").isRefusal)
        #expect(!PostgresError(.connectFailed, message: "").isRefusal)
    }
}
