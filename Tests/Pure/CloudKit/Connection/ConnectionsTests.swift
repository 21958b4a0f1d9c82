import Foundation
import Synchronization
import Testing

@testable import CloudKit

@Suite struct ConnectionsTests {
    @Test("Without a configuration, the error says what to set; a client file that appears is used and announced")
    func appearing() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/client.json"
        let changes = Mutex(0)
        let connections = Connections(environment: ["ZONDA_CLIENT_FILE": path]) { changes.withLock { $0 += 1 } }
        let error = try #require(throws: CKError.self) { try connections.connection(to: "iCloud.a") }
        #expect(error.code == .notAuthenticated)
        #expect(error.localizedDescription.contains("ZONDA_URL"))
        try Data(
            "{\"url\": \"http://h\", \"containers\": {\"iCloud.a\": {\"apiToken\": \"t\", \"webAuthToken\": \"w\"}}}"
                .utf8
        ).write(to: URL(fileURLWithPath: path))
        connections.examineFile()
        #expect(changes.withLock { $0 } == 1)
        let connection = try connections.connection(to: "iCloud.a")
        #expect(connection.session?.token?.text == "w")
        #expect(try connections.connection(to: "iCloud.a") === connection)
        #expect(changes.withLock { $0 } == 1)
    }

    @Test("A container keeps its connection, and gets another one when source names another gateway")
    func source() throws {
        let changes = Mutex(0)
        let connections = Connections(
            environment: ["ZONDA_URL": "http://a", "ZONDA_API_TOKEN": "t", "ZONDA_CONTAINER": "iCloud.a"]
        ) { changes.withLock { $0 += 1 } }
        #expect(connections.defaultContainer == "iCloud.a")
        let first = try connections.connection(to: nil)
        #expect(try connections.connection(to: "iCloud.a") === first)
        connections.source = ZondaConnection(
            url: try #require(URL(string: "http://b")), container: "iCloud.b", credentials: .apiToken("u"))
        #expect(changes.withLock { $0 } == 1)
        let second = try connections.connection(to: nil)
        #expect(second.place.url == "http://b")
        #expect(second.place.container == "iCloud.b")
    }

    @Test("An observer of the account may ask for a connection")
    func observer() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/client.json"
        @Sendable func store(_ apiToken: String, _ user: String) throws {
            try ClientFile.update(path) { file in
                file.set("url", of: "iCloud.a", to: "http://h")
                file.set("apiToken", of: "iCloud.a", to: apiToken)
                file.set("webAuthToken", of: "iCloud.a", to: "w-" + user)
                file.set("userRecordName", of: "iCloud.a", to: user)
                return true
            }
        }
        try store("t", "_a")
        let observed = Mutex<Connections?>(nil)
        let users = Mutex<[UserSession.Account?]>([])
        let connections = Connections(environment: ["ZONDA_CLIENT_FILE": path]) {
            let connection = try? observed.withLock { $0 }?.connection(to: "iCloud.a")
            users.withLock { $0.append(connection?.session?.knownAccount) }
        }
        observed.withLock { $0 = connections }
        _ = try connections.connection(to: "iCloud.a")
        try store("u", "_b")
        #expect(try connections.connection(to: "iCloud.a").session?.account == .user("_b"))
        #expect(users.withLock { $0 } == [.user("_b")])
    }
}
