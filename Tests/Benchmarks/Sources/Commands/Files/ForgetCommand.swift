internal import ArgumentParser
internal import Foundation
internal import PostgresClient

/// `zonda-limits forget`.
struct ForgetCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "forget",
        abstract: "Make the uploads to $ZONDA_CONTAINER due for deletion immediately.",
        discussion: """
            Otherwise, the files of a measurement would be kept for the lifetime of their receipts and the grace \
            period. The asset service's next sweep deletes the files that no record uses.
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
