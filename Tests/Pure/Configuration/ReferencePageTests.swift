import AssetService
import Gateway
import RecordService
import ServiceRuntime
import SubscriptionService
import Testing

/// `deploy/docs/configuration.md` agrees with the declarations of the settings.
struct ReferencePageTests {
    private static let services: [(name: String, settings: [any DeclaredSetting])] = [
        (RecordService.name, RecordService.settings), (AssetService.name, AssetService.settings),
        (SubscriptionService.name, SubscriptionService.settings), (Gateway.name, Gateway.settings),
    ]

    @Test func thePageHasWhatTheServicesDeclare() throws {
        try GeneratedPage(name: "configuration.md", suite: "ReferencePageTests", table: Self.table).check()
    }

    @Test func everySpellingBelongsToOneSetting() {
        for service in Self.services {
            #expect(Set(service.settings.map(\.name.key)).count == service.settings.count)
            #expect(Set(service.settings.map(\.name.variable)).count == service.settings.count)
        }
    }

    /// In the file, a key cannot be both a text and an object.
    @Test func noKeyIsWithinAnother() {
        let keys = Set(Self.services.flatMap(\.settings).map(\.name.key))
        for key in keys { #expect(!keys.contains { $0.hasPrefix(key + ".") }) }
    }

    /// Returns the table after a mark; nil if the line is not a mark.
    private static func table(_ mark: Substring) -> [String]? {
        let rows = services.map { (name: $0.name, rows: $0.settings.map(SettingTable.row)) }
        let common = rows.dropFirst().reduce(Set(rows[0].rows)) { $0.intersection($1.rows) }
        if mark == "<!-- settings: all -->" { return SettingTable.head + rows[0].rows.filter(common.contains) }
        let service = rows.first { mark == "<!-- settings: \($0.name) -->" }
        return service.map { SettingTable.head + $0.rows.filter { !common.contains($0) } }
    }
}
