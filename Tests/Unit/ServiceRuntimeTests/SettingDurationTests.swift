import ServiceRuntime
import Testing

struct SettingDurationTests {
    @Test(arguments: [("90s", 90), ("5m", 300), ("1h", 3600), ("7d", 604_800), ("30", 30)])
    func aTimeHasAUnitOrIsSeconds(text: String, seconds: Int) throws {
        let settings = ServiceSettings(variables: ["ZONDA_SPAN": text])
        let span = try settings.duration("ZONDA_SPAN", default: .zero, in: .zero ... .seconds(1_000_000))
        #expect(span == .seconds(seconds))
    }
}
