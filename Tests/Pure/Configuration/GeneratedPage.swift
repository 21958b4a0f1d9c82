import Foundation
import Testing

/// A page of `deploy/docs` with tables that are printed from the code, each between its mark and `<!-- end -->`. With
/// `ZONDA_TEST_REWRITE` set the page is made to say what the code says.
struct GeneratedPage {
    /// The file's name.
    let name: String
    /// The suite that writes it anew.
    let suite: String
    /// The lines of the table that follows a mark; nil when the line is none.
    let table: (Substring) -> [String]?

    /// Expects that the page says what the code says.
    func check() throws {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
            .appending(path: "../../../deploy/docs/\(name)").standardizedFileURL
        let page = try String(contentsOf: file, encoding: .utf8)
        let expected = filled(page)
        if ProcessInfo.processInfo.environment["ZONDA_TEST_REWRITE"] != nil {
            try expected.write(to: file, atomically: true, encoding: .utf8)
        } else {
            #expect(page == expected, "ZONDA_TEST_REWRITE=1 swift test --filter \(suite) writes \(name) anew")
        }
    }

    private func filled(_ page: String) -> String {
        var lines: [Substring] = []
        var isTable = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "<!-- end -->" { isTable = false }
            if !isTable { lines.append(line) }
            guard let rows = table(line) else { continue }
            isTable = true
            lines += [""] + rows.map { $0[...] } + [""]
        }
        return lines.joined(separator: "\n")
    }
}
