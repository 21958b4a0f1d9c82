import CloudKitModel
import Testing

struct NameValidationTests {
    private func reasonCode(_ body: () throws(ValidationError) -> Void) -> String? {
        do {
            try body()
            return nil
        } catch {
            return error.reasonCode.rawValue
        }
    }

    @Test(arguments: ["n", "Note/2/c110:x", "Größe", "🦊", String(repeating: "a", count: 255), "a b"])
    func recordNameAcceptsFreeText(name: String) throws {
        #expect(try RecordName(validating: name).rawValue == name)
    }

    @Test(arguments: [
        ("", "record_name_empty"), ("_x", "record_name_reserved"), ("a\u{0}b", "record_name_has_control_character"),
        ("a\nb", "record_name_has_control_character"), ("a\u{7F}", "record_name_has_control_character"),
        ("a\u{85}", "record_name_has_control_character"),
        (String(repeating: "a", count: 256), "record_name_too_long"),
        (String(repeating: "ä", count: 128), "record_name_too_long"),
    ])
    func recordNameRefuses(name: String, code: String) {
        #expect(reasonCode { () throws(ValidationError) in _ = try RecordName(validating: name) } == code)
    }

    @Test func lengthErrorTellsLimitAndLength() {
        do throws(ValidationError) {
            _ = try RecordName(validating: String(repeating: "a", count: 300))
            Issue.record("accepted")
        } catch {
            #expect(error.limit == 255)
            #expect(error.actual == 300)
        }
    }

    @Test func referencesMayNameUsers() throws {
        let user = "_7f0c2d7f6a1e4c55a2f3b3a1c0de9911"
        #expect(try RecordName(validating: user, allowsSystem: true).rawValue == user)
        #expect(try UserName(validating: user).rawValue == user)
    }

    @Test(arguments: ["", "_", "_7F0C2D7F6A1E4C55A2F3B3A1C0DE9911", "7f0c2d7f6a1e4c55a2f3b3a1c0de99110", "_xyz"])
    func userNameRefuses(name: String) {
        #expect(reasonCode { () throws(ValidationError) in _ = try UserName(validating: name) } == "user_name_invalid")
    }

    @Test func onlyTheDefaultZoneMayBeginWithUnderscore() throws {
        #expect(try ZoneName(validating: "_defaultZone") == .defaultZone)
        #expect(
            reasonCode { () throws(ValidationError) in _ = try ZoneName(validating: "_other") } == "zone_name_reserved")
    }

    @Test(arguments: ["Note", "n", "A_1", "Users", "cloudkit.share"])
    func recordTypeAccepts(name: String) throws {
        #expect(try RecordTypeName(validating: name).rawValue == name)
    }

    @Test(arguments: ["", "1a", "_Note", "a-b", "a.b", "Größe", "a b", "cloudkit.other", "a\u{0}", "\u{10}a"])
    func recordTypeRefuses(name: String) {
        #expect(reasonCode { () throws(ValidationError) in _ = try RecordTypeName(validating: name) } != nil)
    }

    @Test(arguments: FieldName.reserved)
    func reservedFieldNamesAreRefused(name: String) {
        #expect(
            reasonCode { () throws(ValidationError) in _ = try FieldName(validating: name) } == "field_name_reserved")
    }

    @Test(arguments: ["title", "recordNames", "parents", "e", "shared"])
    func fieldNamesNearReservedOnesAreAccepted(name: String) throws {
        #expect(try FieldName(validating: name).rawValue == name)
    }
}
