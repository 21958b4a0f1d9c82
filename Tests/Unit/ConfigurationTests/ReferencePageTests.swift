import AssetService
import Foundation
import RecordService
import ServiceRuntime
import SubscriptionService
import Testing

/// `deploy/docs/configuration.md` says what the declarations say. With `ZONDA_TEST_REWRITE` set it is made to.
struct ReferencePageTests {
    private static let services: [(name: String, settings: [any DeclaredSetting])] = [
        (RecordService.name, RecordService.settings), (AssetService.name, AssetService.settings),
        (SubscriptionService.name, SubscriptionService.settings),
    ]

    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../../deploy/docs/configuration.md").standardizedFileURL

    @Test func thePageHasWhatTheServicesDeclare() throws {
        let page = try String(contentsOf: Self.file, encoding: .utf8)
        let expected = Self.filled(page)
        if ProcessInfo.processInfo.environment["ZONDA_TEST_REWRITE"] != nil {
            try expected.write(to: Self.file, atomically: true, encoding: .utf8)
        } else {
            #expect(page == expected, "ZONDA_TEST_REWRITE=1 swift test --filter ReferencePageTests writes it anew")
        }
    }

    @Test func everySpellingBelongsToOneSetting() {
        for service in Self.services {
            #expect(Set(service.settings.map(\.name.key)).count == service.settings.count)
            #expect(Set(service.settings.map(\.name.variable)).count == service.settings.count)
        }
    }

    /// A key cannot be a text and an object in the file.
    @Test func noKeyIsWithinAnother() {
        let keys = Set(Self.services.flatMap(\.settings).map(\.name.key))
        for key in keys { #expect(!keys.contains { $0.hasPrefix(key + ".") }) }
    }

    /// The page with the lines between its marks made anew.
    private static func filled(_ page: String) -> String {
        var lines: [Substring] = []
        var isTable = false
        for line in page.split(separator: "\n", omittingEmptySubsequences: false) {
            if line == "<!-- end -->" { isTable = false }
            if !isTable { lines.append(line) }
            guard let rows = rows(line) else { continue }
            isTable = true
            lines += [""] + (SettingTable.head + rows).map { $0[...] } + [""]
        }
        return lines.joined(separator: "\n")
    }

    /// The rows that follow a mark; nil when the line is none.
    private static func rows(_ line: Substring) -> [String]? {
        let rows = services.map { (name: $0.name, rows: $0.settings.map(SettingTable.row)) }
        let common = rows.dropFirst().reduce(Set(rows[0].rows)) { $0.intersection($1.rows) }
        if line == "<!-- settings: all -->" { return rows[0].rows.filter(common.contains) }
        return rows.first { line == "<!-- settings: \($0.name) -->" }?.rows.filter { !common.contains($0) }
    }
}
