/// The reference of settings, as Markdown.
package enum SettingTable {
    /// The two lines above the rows.
    package static let head = [
        "| key | variable | option | type | allowed | default | secret, its file | meaning |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]

    /// A setting's line.
    package static func row(_ setting: any DeclaredSetting) -> String {
        let name = setting.name
        let cells = [
            "`\(name.key)`", "`\(name.variable)`", setting.isSecret ? "–" : "`\(name.option)`", setting.type,
            setting.allowed, setting.absence, setting.isSecret ? "`\(name.secretFile)`" : "–", setting.summary,
        ]
        return "| " + cells.joined(separator: " | ") + " |"
    }
}
