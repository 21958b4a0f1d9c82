/// The index of the shared records of an environment, in the order of a participant's feed.
package struct SharingIndex: Sendable {
    private let environment: EnvironmentRow

    /// Creates the index of an environment.
    package init(_ environment: EnvironmentRow) { self.environment = environment }

    /// The statements that build the index without blocking writes. Each must run outside a transaction. An existing
    /// index is not built again, and an invalid index left by an interrupted build is dropped first.
    package var scripts: [String] {
        let name = "record_\(environment.rawValue)_shared"
        return [
            """
            do $$ begin
                if exists (
                    select from pg_index where indexrelid = to_regclass('record.\(name)') and not indisvalid)
                then execute 'drop index record.\(name)'; end if;
            end $$
            """,
            """
            create index concurrently if not exists \(name) on \(environment.recordTable)
                (environment, zone, share, share_seq, name) where share is not null
            """,
            """
            do $$ begin
                if to_regclass('record.\(name)') is not null and not exists (
                    select from pg_inherits where inhrelid = to_regclass('record.\(name)'))
                then execute 'alter index record.record_shared attach partition record.\(name)'; end if;
            end $$
            """,
        ]
    }
}
