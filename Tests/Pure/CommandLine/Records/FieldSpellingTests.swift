import CloudKitModel
import Testing

@testable import CommandLine
@testable import CommandLineSession

@Suite struct FieldSpellingTests {
    @Test(
        arguments: [
            ("title=Milk", "title", FieldValue.string("Milk")),
            ("title=", "title", .string("")),
            ("title=a=b:c", "title", .string("a=b:c")),
            ("title:string=5", "title", .string("5")),
            ("n:int64=-9223372036854775808", "n", .int64(.min)),
            ("done:int64=true", "done", .int64(1)),
            ("price:double=9.95", "price", .double(9.95)),
            ("due:timestamp=1768500000000", "due", .timestamp(1_768_500_000_000)),
            ("due:timestamp=2026-01-15T18:00:00Z", "due", .timestamp(1_768_500_000_000)),
            ("due:timestamp=2026-01-15T19:00:00.250+01:00", "due", .timestamp(1_768_500_000_250)),
            ("key:bytes=aGVsbG8=", "key", .bytes(Array("hello".utf8))),
            ("list:reference=a,b", "list", .reference(Reference(recordName: "a,b"))),
            (
                "list:reference-delete-self=a", "list",
                .reference(Reference(recordName: "a", action: .deleteSelf))
            ),
            ("place:location=48.85,-2.35", "place", .location(Location(latitude: 48.85, longitude: -2.35))),
            ("tags:strings=red,green", "tags", .list(.string, [.string("red"), .string("green")])),
            ("tags:strings=", "tags", .list(.string, [])),
            ("ns:int64s=1,2", "ns", .list(.int64, [.int64(1), .int64(2)])),
            (
                "to:references=a,b", "to",
                .list(
                    .reference, [.reference(Reference(recordName: "a")), .reference(Reference(recordName: "b"))])
            ),
        ])
    func aSpelledFieldIsReadAsItsValue(argument: String, name: String, value: FieldValue) throws {
        #expect(try FieldSpelling(argument) == FieldSpelling(name: name, value: value))
    }

    @Test func nullWithoutAValueClearsTheField() throws {
        #expect(try FieldSpelling("title:null") == FieldSpelling(name: "title", value: nil))
    }

    @Test(
        arguments: [
            ("title", "title:null"), ("=x", "NAME=VALUE"), ("n:int64=five", "integer"),
            ("n:int64=9223372036854775808", "integer"), ("x:double=inf", "finite"), ("t:timestamp=soon", "2026"),
            ("b:bytes=%%", "base64"), ("p:location=91,0", "north"), ("p:location=1", "north"),
            ("x:colour=red", "types"),
            ("x:bytess=aa", "types"), ("ns:int64s=1,,2", "integer"), ("title:null=x", "clear"),
        ])
    func aWrongSpellingIsRefusedWithTheRightOne(argument: String, hint: String) {
        let fault = #expect(throws: FieldSpelling.Fault.self) { try FieldSpelling(argument) }
        #expect(fault?.description.contains(hint) == true, "\(fault?.description ?? "")")
    }
}
