import CloudKitQuery
import PostgresClient
import Testing

@testable import RecordService
@testable import RecordStorage

/// The SQL expressions of fields, evaluated by the database.
@Suite(.enabled(if: RecordDatabase.serverURL != nil), .timeLimit(.minutes(10)))
struct FieldExpressionTests {
    @Test func textsAreFolded() async throws {
        let texts = ["ABC", "Ñandú", "ΣΊΣΥΦΟΣ", "İ", "e\u{301}E\u{301}", "straße", "", "中文ÅÅ"]
        let folded: [(TextOptions, [String])] = [
            ([], texts),
            (.caseInsensitive, ["abc", "ñandú", "σίσυφοσ", "i\u{307}", "e\u{301}e\u{301}", "straße", "", "中文åå"]),
            (.diacriticInsensitive, ["ABC", "Nandu", "ΣΙΣΥΦΟΣ", "I", "eE", "straße", "", "中文AA"]),
            (
                [.caseInsensitive, .diacriticInsensitive],
                ["abc", "nandu", "σισυφοσ", "i", "ee", "straße", "", "中文aa"]
            ),
        ]
        try await RecordDatabase.with { database in
            for (options, expected) in folded {
                let rows = try await database.query(
                    PostgresStatement(
                        "select \(FieldExpression.folded("text", options)) from unnest($1::text[]) as t(text)"),
                    [.textArray(texts)])
                #expect(rows.map { Array($0.string(0).unicodeScalars) } == expected.map { Array($0.unicodeScalars) })
            }
        }
    }

    @Test func whatIsOfAnotherTypeIsNothing() async throws {
        try await RecordDatabase.with { database in
            for (expression, values) in [
                (FieldExpression.text(of: "f"), ["1", "null", "{}", "[\"x\"]"]),
                (FieldExpression.substring(of: "f"), ["1", "null", "{}", "[\"x\"]"]),
                (
                    FieldExpression.point(of: "f"),
                    [
                        "1", "null", "{}", "[1, 2]", "\"x\"", "{\"latitude\": 1}",
                        "{\"latitude\": 1, \"longitude\": \"2\"}",
                    ]
                ),
            ] {
                let rows = try await database.query(
                    PostgresStatement(
                        """
                        select (\(expression))::text from (
                            select jsonb_build_object('f', v::jsonb) as fields from unnest($1::text[]) as v) v
                        """), [.textArray(values)])
                #expect(rows.allSatisfy { $0.isNull(0) }, "\(expression)")
            }
        }
    }

    @Test func distancesAreAlongGreatCircles() async throws {
        // Distances along the equator, to the pole, to the antipode, of zero, and from Berlin to Sydney.
        let cases = [
            (0.0, 0.0, 0.0, 1.0, 111_195.08), (0, 77, 90, 0, 10_007_557.2), (10, 20, -10, -160, 20_015_114.4),
            (52.5, 13.4, 52.5, 13.4, 0), (52.52, 13.405, -33.8688, 151.2093, 16_095_661),
        ]
        try await RecordDatabase.with { database in
            let here = FieldExpression.point(latitude: "$1::float8", longitude: "$2::float8")
            let statement = PostgresStatement(
                """
                select \(FieldExpression.distance(here, FieldExpression.point(of: "f"))) from (
                    select jsonb_build_object('f', jsonb_build_object('latitude', $3::float8, 'longitude', $4::float8))
                        as fields) v
                """)
            for (latitude, longitude, otherLatitude, otherLongitude, metres) in cases {
                let rows = try await database.query(
                    statement,
                    [.float8(latitude), .float8(longitude), .float8(otherLatitude), .float8(otherLongitude)])
                #expect(abs(rows[0].double(0) - metres) < 1 + metres * 0.000_1)
            }
        }
    }
}
