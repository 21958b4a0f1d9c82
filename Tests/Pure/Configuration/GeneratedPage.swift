import Foundation
import Testing

/// A page of `deploy/docs` with tables that are generated from the code, each between its mark and `<!-- end -->`. If
/// `ZONDA_TEST_REWRITE` is set, the page is updated from the code.
struct GeneratedPage {
    /// The name of the file.
    let name: String
    /// The suite that updates the page.
    let suite: String
    /// Returns the lines of the table after a mark; nil if the line is not a mark.
    let table: (Substring) -> [String]?

    /// Expects that the page agrees with the code.
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
