import CloudKitModel
import Testing

/// `deploy/docs/errors.md` agrees with the table of errors.
struct ErrorPageTests {
    @Test func thePageHasTheTableOfErrors() throws {
        try GeneratedPage(name: "errors.md", suite: "ErrorPageTests") { mark in
            mark == "<!-- errors -->" ? Self.head + ReasonCode.allCases.map(Self.row) : nil
        }.check()
    }

    private static let head = [
        "| `reasonCode` | `serverErrorCode` | HTTP | `ckErrorCode` | retry | when | what to do |",
        "| --- | --- | --- | --- | --- | --- | --- |",
    ]

    private static func row(_ reasonCode: ReasonCode) -> String {
        let (word, entry) = (reasonCode.rawValue, reasonCode.entry)
        let retry =
            switch entry.retry {
            case .no: "no"
            case .fix: "after a change"
            case .later(let seconds): "after `retryAfter` (by default \(seconds) s)"
            }
        let cells = [
            "<a id=\"\(word)\"></a>`\(word)`", "`\(entry.code.rawValue)`", "\(entry.code.httpStatus)",
            "\(entry.ckErrorCode.rawValue)", retry, entry.meaning, entry.hint,
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}
