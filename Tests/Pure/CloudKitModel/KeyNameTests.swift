import CloudKitModel
import Testing

struct KeyNameTests {
    @Test(arguments: [
        ("\u{E9}", "e\u{301}"), ("K", "\u{212A}"), (";", "\u{37E}"), ("a\u{301}\u{323}", "a\u{323}\u{301}"), ("", "a"),
    ])
    func namesThatLookAlikeAreTwo(one: String, other: String) {
        #expect(RecordName(unchecked: one) != RecordName(unchecked: other))
        #expect(Set([ZoneName(unchecked: one), ZoneName(unchecked: other)]).count == 2)
        #expect([MessageID(unchecked: one): 1][MessageID(unchecked: other)] == nil)
    }

    @Test(arguments: ["", "a", "\u{E9}", "e\u{301}", String(repeating: "größe 🦊", count: 20)])
    func theSameBytesAreTheSameName(name: String) {
        let copy = String(decoding: Array(name.utf8), as: UTF8.self)
        #expect(RecordName(unchecked: name) == RecordName(unchecked: copy))
        #expect([RecordName(unchecked: name): 1][RecordName(unchecked: copy)] == 1)
    }
}
