package import PostgresClient

/// The index of the shared records of an environment, in the order of a participant's feed.
package struct SharingIndex: Sendable {
    private let environment: EnvironmentRow

    /// Creates the index of an environment.
    package init(_ environment: EnvironmentRow) { self.environment = environment }

    private var name: String { "record_\(environment.rawValue)_shared" }

    /// Reads whether an interrupted build left an invalid index; ``isInvalid(_:)`` decodes the result.
    package var invalid: PostgresCall {
        PostgresCall(
            "select from pg_index where indexrelid = to_regclass($1) and not indisvalid", [.text("record.\(name)")])
    }

    /// Whether ``invalid`` found an index.
    package static func isInvalid(_ result: PostgresResult) -> Bool { !result.isEmpty }

    /// Drops the index that an interrupted build left. Does not block writes; must be run outside a transaction.
    package var drop: String { "drop index concurrently if exists record.\(name)" }

    /// Builds the index unless it already exists. Does not block writes; must be run outside a transaction.
    package var create: String {
        """
        create index concurrently if not exists \(name) on \(environment.recordTable)
            (environment, zone, share, share_seq, name) where share is not null
        """
    }

    /// Attaches the index unless it is already attached. While this statement waits for its lock, reads and saves in
    /// the environment wait too, so the wait must be short.
    package var attach: String {
        """
        do $$ begin
            if to_regclass('record.\(name)') is not null and not exists (
                select from pg_inherits where inhrelid = to_regclass('record.\(name)'))
            then execute 'alter index record.record_shared attach partition record.\(name)'; end if;
        end $$
        """
    }
}
