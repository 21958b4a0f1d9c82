import Testing

@testable import AssetService

struct ContentDispositionTests {
    @Test(arguments: [
        "${f}", "$%7Bf%7D", "%24%7Bf%7D", "%24%7bf%7d", "$%257Bf%257D", "%2524%257Bf%257D", "", "%ZZ", "%FF", "...",
        "%20",
    ])
    func withoutANameItIsAnAttachment(part: String) {
        #expect(ContentDisposition.attachment(lastPart: part) == "attachment")
    }

    @Test(arguments: [
        ("photo.jpg", "attachment; filename=\"photo.jpg\""),
        ("my%20photo.jpg", "attachment; filename=\"my photo.jpg\""),
        ("..%2F..%2Fetc%2Fpasswd", "attachment; filename=\"_.._etc_passwd\""),
        ("a%22b%5C.txt", "attachment; filename=\"a_b_.txt\""),
        ("a%0D%0AX-Evil:%201", "attachment; filename=\"a_X-Evil_ 1\""),
        ("se%C3%B1or.txt", "attachment; filename=\"se_or.txt\"; filename*=UTF-8''se%C3%B1or.txt"),
        ("100%25.txt", "attachment; filename=\"100_.txt\"; filename*=UTF-8''100%25.txt"),
        // A right-to-left override would show gpj.exe as exe.jpg.
        ("a%E2%80%AEgpj.exe", "attachment; filename=\"a_gpj.exe\""),
    ])
    func theURLsLastPartNamesTheFile(part: String, expected: String) {
        #expect(ContentDisposition.attachment(lastPart: part) == expected)
    }

    @Test func namesAreShortenedAtACharacter() {
        let name = ContentDisposition.attachment(lastPart: String(repeating: "a", count: 300))
        #expect(name == "attachment; filename=\"\(String(repeating: "a", count: 200))\"")
    }
}
