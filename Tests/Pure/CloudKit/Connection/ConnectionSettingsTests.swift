import CloudKitWire
import Foundation
import Testing

@testable import CloudKit

@Suite struct ConnectionSettingsTests {
    private static let complete = [
        "ZONDA_URL": "http://127.0.0.1:8080/", "ZONDA_CONTAINER": "iCloud.a", "ZONDA_ENVIRONMENT": "production",
        "ZONDA_API_TOKEN": "t1", "ZONDA_WEB_AUTH_TOKEN": "w1",
    ]

    private static func file(_ text: String) throws -> ClientFile {
        let folder = try TemporaryFolder()
        let path = folder.path + "/client.json"
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
        return try ClientFile(readingFrom: path)
    }

    @Test("The environment names the gateway, the container and the tokens")
    func environment() throws {
        let settings = ConnectionSettings(source: nil, environment: Self.complete)
        #expect(settings.defaultContainer(nil) == "iCloud.a")
        let (place, session) = try settings.place(of: nil, nil)
        #expect(
            place
                == ConnectionPlace(
                    url: "http://127.0.0.1:8080", container: "iCloud.a", environment: "production",
                    proof: .apiToken("t1")))
        #expect(session == .memory("w1"))
    }

    @Test("The file names them for each container; the environment takes precedence for its own")
    func precedence() throws {
        let file = try Self.file(
            """
            {"url": "https://example.org", "container": "iCloud.b", "environment": "production",
             "containers": {"iCloud.b": {"apiToken": "t2"}, "iCloud.c": {"apiToken": "t3", "environment": "development"}}}
            """)
        let bare = ConnectionSettings(source: nil, environment: ["ZONDA_CLIENT_FILE": "/f"])
        #expect(bare.defaultContainer(file) == "iCloud.b")
        let second = try bare.place(of: nil, file)
        #expect(second.place.proof == .apiToken("t2"))
        #expect(second.place.environment == "production")
        #expect(second.session == .file("/f"))
        #expect(try bare.place(of: "iCloud.c", file).place.environment == "development")

        let both = ConnectionSettings(source: nil, environment: Self.complete)
        #expect(both.defaultContainer(file) == "iCloud.a")
        #expect(try both.place(of: "iCloud.c", file).place.proof == .apiToken("t3"))
        #expect(try both.place(of: "iCloud.c", file).place.url == "http://127.0.0.1:8080")
    }

    @Test("Source takes precedence over everything")
    func source() throws {
        let connection = ZondaConnection(
            url: try #require(URL(string: "https://zonda.example.org")), container: "iCloud.s",
            credentials: .apiToken("t9", webAuthToken: "w9"))
        let settings = ConnectionSettings(source: connection, environment: Self.complete)
        #expect(settings.clientFile == nil)
        let (place, session) = try settings.place(of: nil, nil)
        #expect(place.url == "https://zonda.example.org")
        #expect(place.container == "iCloud.s")
        #expect(place.proof == .apiToken("t9"))
        #expect(session == .memory("w9"))
    }

    @Test(
        "What is missing or wrong is named",
        arguments: [
            ([:], "ZONDA_CONTAINER"),
            (["ZONDA_CONTAINER": "c"], "ZONDA_URL"),
            (["ZONDA_CONTAINER": "c", "ZONDA_URL": "http://h"], "ZONDA_API_TOKEN"),
            (["ZONDA_CONTAINER": "c", "ZONDA_URL": "example.org", "ZONDA_API_TOKEN": "t"], "example.org"),
            (
                ["ZONDA_CONTAINER": "c", "ZONDA_URL": "http://h", "ZONDA_API_TOKEN": "t", "ZONDA_ENVIRONMENT": "x"],
                "ZONDA_ENVIRONMENT"
            ),
            (
                ["ZONDA_CONTAINER": "c", "ZONDA_URL": "http://h", "ZONDA_KEY_ID": "k", "ZONDA_KEY_FILE": "/no/such"],
                "/no/such"
            ),
        ])
    func missing(_ environment: [String: String], _ word: String) throws {
        let settings = ConnectionSettings(source: nil, environment: environment)
        let error = try #require(throws: CKError.self) { try settings.place(of: nil, nil) }
        #expect(error.code == .notAuthenticated)
        #expect(error.localizedDescription.contains(word))
    }

    @Test("A file that is not valid is named", arguments: ["{", "[]", "{\"a\": 1, \"a\": 2}"])
    func invalidFile(_ text: String) throws {
        let error = try #require(throws: CKError.self) { try Self.file(text) }
        #expect(error.code == .notAuthenticated)
        #expect(error.localizedDescription.contains("client.json"))
    }
}
