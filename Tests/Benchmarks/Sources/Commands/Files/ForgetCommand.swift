internal import ArgumentParser
internal import Foundation
internal import PostgresClient

/// `zonda-limits forget`.
struct ForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Makes the uploads into $ZONDA_CONTAINER due for deletion, as if their time were over.",
        discussion: """
            Otherwise a measurement's files would stay for the life of their receipts and the days of grace. The asset \
            service's next sweep deletes those that no record uses.
            """)

    func run() async throws {
        let container = try LimitEnvironment.required(LimitEnvironment.container)
        let url = try LimitEnvironment.required(LimitEnvironment.postgresURL)
        try await LimitDatabase.withPool(url: url, connections: 1) { pool in
            _ = try await pool.withConnection { connection in
                try await connection.query(
                    """
                    update asset.blob set state = 'condemned', receipt_until = now(), condemned_at = now(), due = now()
                    where container = $1 and (due is null or due > now())
                    """, [.text(container)])
            }
        }
    }
}
