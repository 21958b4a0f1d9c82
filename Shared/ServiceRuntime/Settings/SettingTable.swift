/// The settings reference, rendered as Markdown.
package enum SettingTable {
    /// The two header lines of the table.
    package static let head = [
        "| key | variable | option | type | allowed | default | secret file | meaning |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]

    /// Returns the table row for a setting.
    package static func row(_ setting: any DeclaredSetting) -> String {
        let name = setting.name
        let cells = [
            "`\(name.key)`", "`\(name.variable)`", setting.isSecret ? "–" : "`\(name.option)`", setting.type,
            setting.allowed, setting.absence, setting.isSecret ? "`\(name.secretFile)`" : "–", setting.summary,
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}
