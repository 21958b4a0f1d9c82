import PostgresClient
import Testing

extension PostgresTests {
    struct LogDescriptionTests {
        @Test(arguments: [
            ("insert into t values (7, 'geheim')", "23505"), ("insert into t values (8, 'geheim zu lang')", "23514"),
            ("insert into t values (null, 'geheim')", "23502"), ("select 'geheim'::text::int8", "22P02"),
            ("do $$ begin raise exception 'geheim'; end $$", "P0001"),
        ])
        func theTextOfARowIsInNoLogDescription(statement: String, state: String) async throws {
            try await withDatabase { pool in
                try await pool.execute(
                    """
                    create table t (id int8 constraint own primary key, name text constraint short check (length(name) < 8));
                    insert into t values (7, 'geheim');
                    """)
                let error = await #expect(throws: PostgresError.self) { try await pool.execute(statement) }
                #expect(error?.sqlState?.rawValue == state)
                // The description does not contain values from the statement's text. Parameters are not part of the
                // text.
                var unquoted = error
                unquoted?.statement = nil
                #expect(unquoted?.logDescription.contains("geheim") == false)
                #expect(unquoted?.logDescription.contains("(7") == false)
                #expect(unquoted?.logDescription.contains(state) == true)
                if let constraint = error?.constraint {
                    #expect(unquoted?.logDescription.contains("constraint: \(constraint)") == true)
                }
            }
        }

        @Test func theLogDescriptionSaysWhatIsWrongWithAStatement() async throws {
            try await withDatabase { pool in
                let error = await #expect(throws: PostgresError.self) { try await pool.query("select from nowhere") }
                #expect(error?.logDescription.contains("relation \"nowhere\" does not exist") == true)
            }
        }
    }
}
