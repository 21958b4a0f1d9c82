import ServiceRuntime
import Testing

struct SettingNameTests {
    @Test(arguments: [
        ("faults", "ZONDA_FAULTS", "--faults", "faults"),
        ("amqp.password", "ZONDA_AMQP_PASSWORD", "--amqp-password", "amqp-password"),
        ("asset.uploadLife", "ZONDA_ASSET_UPLOAD_LIFE", "--asset-upload-life", "asset-upload-life"),
    ])
    func everySourceSpellsItItsOwnWay(key: String, variable: String, option: String, file: String) {
        let name = SettingName(stringLiteral: key)
        #expect(name.variable == variable)
        #expect(name.option == option)
        #expect(name.secretFile == file)
    }
}
