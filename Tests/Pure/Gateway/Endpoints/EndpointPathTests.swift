import CloudKitModel
import Testing

@testable import Gateway

/// Paths of endpoints, and the errors of other paths.
@Suite struct EndpointPathTests {
    private static let prefix = "/database/1/iCloud.org.example.Notes/development"

    @Test(arguments: Endpoint.allCases, DatabaseScope.allCases)
    func anEndpointIsAvailableInItsDatabases(endpoint: Endpoint, database: DatabaseScope) throws {
        let path = "\(Self.prefix)/\(database.wireName)/\(endpoint.rawValue)"
        guard case .unknown(let error) = RequestRoute(path: path) else {
            let parsed = try #require(path.parsed)
            #expect(parsed.endpoint == endpoint)
            #expect(parsed.container == "iCloud.org.example.Notes")
            #expect(parsed.environment == .development)
            let isOfTokens = endpoint.rawValue.hasPrefix("tokens/")
            #expect(parsed.database == (isOfTokens ? .public : database))
            return
        }
        #expect(!endpoint.databases.contains(database))
        #expect(error.reason == "endpoint not applicable in the database type '\(database.wireName)db'")
        #expect(error.code == .badRequest)
    }

    @Test(arguments: [
        "/device/1/c/production/tokens/create", "/database/1/c/production/tokens/create",
        "/database/1/c/production/private/tokens/create", "//device/1/c//production/tokens/create",
    ])
    func tokensAreServedUnderEachPathThatClientsUse(path: String) {
        #expect(
            path.parsed
                == EndpointPath(container: "c", environment: .production, database: .public, endpoint: .tokensCreate))
    }

    @Test func anEnvironmentMayBeInUpperCase() {
        #expect("/database/1/c/DEVELOPMENT/public/records/query".parsed?.environment == .development)
        #expect("/database/1/c/PRODUCTION/public/records/query".parsed?.environment == .production)
    }

    @Test func aContainerMayBeEscaped() {
        #expect("/database/1/iCloud%2Eorg%2e%61/development/public/records/query".parsed?.container == "iCloud.org.a")
    }

    @Test(arguments: [
        ("/", ReasonCode.endpointUnknown), ("/database", .endpointUnknown), ("/database/1/c", .endpointUnknown),
        ("/other/1/c/development/public/records/query", .endpointUnknown),
        ("/database/2/c/development/public/records/query", .endpointUnknown),
        ("/database/1/c/development/public/records/fly", .endpointUnknown),
        ("/database/1/c/development/public/records/query/x", .endpointUnknown),
        ("/database/1/c/development/public", .endpointUnknown),
        ("/database/1/c/development/public/records/zip/prepare", .endpointUnknown),
        ("/database/1/c/development/Public/records/query", .databaseInvalid),
        ("/database/1/c/development/records/query", .databaseInvalid),
        ("/database/1/c/staging/public/records/query", .environmentInvalid),
        ("/database/1/a%20b/development/public/records/query", .containerInvalid),
        ("/database/1/%C3%A4/development/public/records/query", .containerInvalid),
        ("/database/1/%00/development/public/records/query", .containerInvalid),
        ("/device/1/c/development/public/records/query", .endpointUnknown),
    ])
    func theErrorNamesTheInvalidPartOfAPath(path: String, reasonCode: ReasonCode) {
        guard case .unknown(let error) = RequestRoute(path: path) else {
            Issue.record("\(path) leads somewhere")
            return
        }
        #expect(error.reasonCode == reasonCode.rawValue)
        if reasonCode == .endpointUnknown { #expect(error.reason == "could not find handler for endpoint") }
    }

    @Test(arguments: [
        ("/signin", "signin"), ("/signin/out", "signin"), ("/courier", "courier"), ("/docs", "documents"),
    ])
    func otherRoutesHaveTheirOwnPaths(path: String, name: String) {
        #expect(RequestRoute(path: path).name == name)
    }
}

extension String {
    fileprivate var parsed: EndpointPath? {
        if case .endpoint(let path) = RequestRoute(path: self) { path } else { nil }
    }
}
