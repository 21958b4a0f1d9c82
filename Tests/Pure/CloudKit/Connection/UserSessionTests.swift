import CloudKitWire
import Foundation
import Synchronization
import Testing

@testable import CloudKit

@Suite struct UserSessionTests {
    private static let container = "iCloud.org.example.Notes"

    /// A session in a file, with a clock that stands still.
    private final class Desk: Sendable {
        let path: String
        let changes = Mutex(0)
        let now = Mutex(ContinuousClock.now)

        init(_ folder: TemporaryFolder, token: String?, user: String?) throws {
            path = folder.path + "/client.json"
            try write(token: token, user: user)
        }

        func write(token: String?, user: String?) throws {
            try ClientFile.update(path) { file in
                file.set("webAuthToken", of: UserSessionTests.container, to: token)
                file.set("userRecordName", of: UserSessionTests.container, to: user)
                return true
            }
        }

        var stored: String? {
            (try? ClientFile(readingFrom: path))?.credential("webAuthToken", of: UserSessionTests.container)
        }

        func session() -> UserSession {
            UserSession(
                .file(path), container: UserSessionTests.container, clock: { self.now.withLock { $0 } },
                accountChanged: { self.changes.withLock { $0 += 1 } })
        }

        func pass(_ duration: Duration) { now.withLock { $0 = $0 + duration } }
    }

    @Test("A newer token is used at once, and written to the file after a while")
    func rotation() async throws {
        let folder = try TemporaryFolder()
        let desk = try Desk(folder, token: "w1", user: "_a")
        let session = desk.session()
        session.adopt("w2", after: try #require(session.token))
        await session.flush()
        #expect(session.token?.text == "w2")
        #expect(desk.stored == "w1")
        desk.pass(.seconds(61))
        session.adopt("w3", after: try #require(session.token))
        await session.flush()
        #expect(desk.stored == "w3")
        #expect(session.token?.text == "w3")
        #expect(desk.changes.withLock { $0 } == 0)
        let mode = try FileManager.default.attributesOfItem(atPath: desk.path)[.posixPermissions] as? NSNumber
        #expect(mode == 0o600)
    }

    @Test("Two processes share a session: neither overwrites the other's token, and the account stays")
    func sharing() async throws {
        let folder = try TemporaryFolder()
        let desk = try Desk(folder, token: "w1", user: "_a")
        let (first, second) = (desk.session(), desk.session())
        desk.pass(.seconds(61))
        let old = try #require(second.token)
        first.adopt("w2", after: try #require(first.token))
        await first.flush()
        // The answer to a request that was sent before the other process wrote its token.
        second.adopt("v2", after: old)
        await second.flush()
        #expect(desk.stored == "w2")
        #expect(second.token?.text == "w2")
        #expect(desk.changes.withLock { $0 } == 0)
    }

    @Test("Another user in the file changes the account, and answers to the former one are ignored")
    func otherUser() async throws {
        let folder = try TemporaryFolder()
        let desk = try Desk(folder, token: "w1", user: "_a")
        let session = desk.session()
        let old = try #require(session.token)
        try desk.write(token: "x1", user: "_b")
        #expect(session.account == .user("_b"))
        #expect(desk.changes.withLock { $0 } == 1)
        desk.pass(.seconds(61))
        session.adopt("w2", after: old)
        #expect(session.refuse(old))
        await session.flush()
        #expect(session.token?.text == "x1")
        #expect(desk.stored == "x1")
        #expect(desk.changes.withLock { $0 } == 1)
    }

    @Test("A refused token ends the session, until the file contains another one")
    func end() throws {
        let folder = try TemporaryFolder()
        let desk = try Desk(folder, token: "w1", user: "_a")
        let session = desk.session()
        #expect(!session.refuse(try #require(session.token)))
        #expect(session.token == nil)
        #expect(session.account == .none)
        #expect(desk.changes.withLock { $0 } == 1)
        try desk.write(token: "w9", user: "_a")
        #expect(session.token?.text == "w9")
        #expect(session.account == .user("_a"))
        #expect(desk.changes.withLock { $0 } == 2)
    }

    @Test("A user who signs in or out in the file changes the account")
    func signInAndOut() throws {
        let folder = try TemporaryFolder()
        let desk = try Desk(folder, token: nil, user: nil)
        let session = desk.session()
        #expect(session.account == .none)
        try desk.write(token: "w1", user: "_a")
        session.refresh()
        #expect(desk.changes.withLock { $0 } == 1)
        try FileManager.default.removeItem(atPath: desk.path)
        session.refresh()
        #expect(session.account == .none)
        #expect(desk.changes.withLock { $0 } == 2)
    }

    @Test("The name of the user is stored in the file, and other keys stay")
    func naming() async throws {
        let folder = try TemporaryFolder()
        let desk = try Desk(folder, token: "w1", user: nil)
        try Data(
            """
            {"url": "http://h", "future": [1], "containers": {"other": {"apiToken": "o"},
             "\(Self.container)": {"webAuthToken": "w1", "apiToken": "t"}}}
            """.utf8
        ).write(to: URL(fileURLWithPath: desk.path))
        let session = desk.session()
        session.note(user: "_a", of: try #require(session.token))
        await session.flush()
        let file = try ClientFile(readingFrom: desk.path)
        #expect(file.credential("userRecordName", of: Self.container) == "_a")
        #expect(file.credential("apiToken", of: Self.container) == "t")
        #expect(file.credential("apiToken", of: "other") == "o")
        #expect(file.json["future"] == [1])
        #expect(session.account == .user("_a"))
    }

    @Test("Changes of many writers to one file do not overwrite each other")
    func writers() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/client.json"
        await withTaskGroup { group in
            for number in 0..<20 {
                group.addTask {
                    await withCheckedContinuation { continuation in
                        DispatchQueue.global().async {
                            try? ClientFile.update(path) { file in
                                file.set("apiToken", of: "c\(number)", to: "t\(number)")
                                return true
                            }
                            continuation.resume()
                        }
                    }
                }
            }
        }
        let file = try ClientFile(readingFrom: path)
        #expect((0..<20).allSatisfy { file.credential("apiToken", of: "c\($0)") == "t\($0)" })
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(names.sorted() == ["client.json", "client.json.lock"])
    }
}
