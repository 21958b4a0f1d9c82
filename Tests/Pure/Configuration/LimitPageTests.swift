import CloudKitModel
import Testing

/// `deploy/docs/limits.md` agrees with the table of limits.
struct LimitPageTests {
    @Test func thePageHasTheTableOfLimits() throws {
        try GeneratedPage(name: "limits.md", suite: "LimitPageTests") { mark in
            mark == "<!-- limits -->" ? Self.head + Self.rows : nil
        }.check()
    }

    private static let head = [
        "| limit | `extended` | `compat` | setting of the | error | limited quantity |",
        "| --- | --- | --- | --- | --- | --- |",
    ]

    private static var rows: [String] {
        [("record", Limit.record), ("asset", Limit.asset), ("subscription", Limit.subscription)]
            .flatMap { service, limits in limits.map { row($0, of: service) } }
    }

    private static func row(_ limit: Limit, of service: String) -> String {
        let word = limit.error?.rawValue
        let cells = [
            "`limit.\(limit.name)`", text(limit, .extended), text(limit, .compat), "\(service) service",
            word.map { "[`\($0)`](errors.md#\($0))" } ?? "none: the result is smaller", limit.summary,
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }

    private static func text(_ limit: Limit, _ profile: Profile) -> String {
        "\(Limits(profile)[keyPath: limit.value])\(limit.unit.isEmpty ? "" : " \(limit.unit)")"
    }
}
