import AMQPClient
import AssetTestSupport
import CloudKitModel
import Foundation
import Logging
import NIOCore
import PostgresClient
import RequestServing
import ServiceMessages
import ServiceRuntime
import SignedTokens
import TestSupport

@testable import AssetService
@testable import AssetStorage
@testable import BlobStorage

/// The asset service's parts with a new database and folder. Only the pool runs.
struct AssetStack: Sendable {
    let configuration: AssetServiceConfiguration
    let database: TestDatabase
    let pool: PostgresPool
    let table: BlobTable
    let store: DirectoryBlobStore
    let directory: URL
    let host: ServiceHost
    let parts: AssetServiceParts

    static let container = "com.example.assets"
    static let scope = AssetScope(
        container: container, environment: .development, scope: .public, owner: ZoneAddress.publicOwner)

    /// Creates a stack, passes it to `body` and removes everything afterwards, even after an error.
    ///
    /// - Parameter broker: the broker for messages. Without it, no part that needs a broker may run.
    static func with(
        _ settings: [String: String] = [:], broker: String = "amqp://127.0.0.1:1",
        _ body: (AssetStack) async throws -> Void
    ) async throws {
        let database = try await TestDatabase.make(in: try TestEnvironment.required())
        let directory = FileManager.default.temporaryDirectory.appending(path: database.name)
        defer { try? FileManager.default.removeItem(at: directory) }
        do {
            let configuration = try AssetServiceConfiguration.test(
                [
                    "ZONDA_AMQP_URL": broker, "ZONDA_POSTGRES_URL": database.url,
                    "ZONDA_ASSET_DIRECTORY": directory.path,
                ].merging(settings) { $1 })
            let logger = Logger(label: "test") { _ in SwiftLogNoOpLogHandler() }
            let pool = PostgresPool(configuration: configuration.host.postgres, logger: logger)
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await pool.run() }
                defer { group.cancelAll() }
                _ = try await AssetMigrations.migrator(recordRole: nil).apply(on: pool, logger: logger)
                let store = DirectoryBlobStore(root: directory.path)
                try await store.prepare()
                try await StoreOwnership(
                    table: StoreTable(pool: pool), store: store, variable: "ZONDA_ASSET_DIRECTORY"
                ).check()
                let host = ServiceHost(
                    configuration.host, migrator: AssetMigrations.migrator(recordRole: nil), logger: logger)
                let parts = AssetServiceParts(configuration, store: store, pool: pool, host: host)
                try await body(
                    AssetStack(
                        configuration: configuration, database: database, pool: pool, table: BlobTable(pool: pool),
                        store: store, directory: directory, host: host, parts: parts))
            }
        } catch {
            try? await database.drop()
            throw error
        }
        try await database.drop()
    }

    /// The part that stores assets, regardless of how they arrive.
    var uploader: AssetUploader { parts.http.responder.uploads.uploader }

    /// Returns the private database of a user.
    static func scope(of user: String) -> AssetScope {
        AssetScope(container: container, environment: .development, scope: .private, owner: user)
    }

    /// Uploads a text without HTTP.
    func upload(_ text: String, container: String = container) async throws -> UploadedAsset {
        var scope = Self.scope
        scope.container = container
        return try await upload(text, to: scope)
    }

    /// Uploads a text without HTTP.
    func upload(_ text: String, to scope: AssetScope) async throws -> UploadedAsset {
        try await uploader.upload(TextSource(text), to: scope)
    }

    /// Returns the row of a content.
    func row(_ asset: UploadedAsset) async throws -> StoredBlob? {
        try await table.find(asset.content.checksum, in: Self.container)
    }

    /// Makes all receipts expire.
    func expireReceipts() async throws {
        _ = try await database.query("update asset.blob set receipt_until = now() - interval '1 second'")
    }

    /// Returns the file of a blob.
    func path(_ blob: StoredBlob) -> URL { directory.appending(path: "blobs/\(blob.key)") }

    /// Creates a table of uses like the record service's, and adds a use of a blob.
    func use(_ id: BlobID) async throws {
        _ = try await database.query("create table if not exists use (blob bigint references asset.blob)")
        _ = try await database.query("insert into use values ($1)", [.int8(id.rawValue)])
    }

    /// Returns the names of the files in a folder of the store.
    func files(_ folder: String) -> [String] {
        let root = directory.appending(path: folder).path
        return (FileManager.default.enumerator(atPath: root)?.compactMap { $0 as? String } ?? []).filter { name in
            var isDirectory: ObjCBool = false
            return FileManager.default.fileExists(atPath: "\(root)/\(name)", isDirectory: &isDirectory)
                && !isDirectory.boolValue
        }.sorted()
    }

    /// Returns the text that is stored under a key.
    func text(_ key: BlobKey) async throws -> String? {
        guard let reader = try await store.open(key) else { return nil }
        return String(buffer: try await reader.read(at: 0, count: Int(reader.size)))
    }
}
