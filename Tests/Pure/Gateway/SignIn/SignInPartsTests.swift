import CloudKitWire
import Testing

@testable import Gateway

@Suite struct SignInPartsTests {
    @Test func aTemplateIsFilledAndEscaped() {
        let template = PageTemplate(Array("<p title=\"{{a}}\">{{&b}}{{c}}</p>{{".utf8))
        let html = template.filled(["a": "\"'<&>{{c}}", "b": "<i>x</i>"])
        #expect(html == "<p title=\"&quot;&#39;&lt;&amp;&gt;{{c}}\"><i>x</i></p>{{")
    }

    @Test func jsonInAScriptCannotEndIt() {
        let value: JSONValue = ["a": "</script><!--\u{2028}&"]
        #expect(SignInPages.script(value) == #"{"a":"\u003c/script\u003e\u003c!--\u2028\u0026"}"#)
    }

    @Test func aFormIsParsedAsBrowsersEncodeIt() throws {
        let body = Array("a=b+c%2Bd&e=%C3%A4&e=2&f".utf8)
        let type = "Application/X-WWW-Form-Urlencoded; charset=UTF-8"
        let fields = try #require(FormFields(body, contentType: type))
        #expect(fields["a"] == "b c+d")
        #expect(fields["e"] == "ä")
        #expect(fields["f"] == "")
        #expect(fields["g"] == nil)
        #expect(FormFields(body, contentType: nil) == nil)
        #expect(FormFields(body, contentType: "multipart/form-data; boundary=x") == nil)
    }

    @Test(arguments: [
        ("https://example.org", true), ("http://127.0.0.1:3000", true), ("capacitor://localhost", true),
        ("http://[::1]:80", true), ("null", false), ("*", false), ("https://", false), ("https://a/b", false),
        ("https://a b", false), ("", false),
    ])
    func anOriginHasSchemeHostAndPort(text: String, isOrigin: Bool) {
        #expect(SignInCallback.isOrigin(text) == isOrigin)
    }

    @Test func aCheckBeyondTheBoundIsRefusedAtOnce() async {
        // The hash of `right`. A check takes some hundredths of a second.
        let hash = "scrypt$16384$8$1$AAECAwQFBgcICQoLDA0ODw==$g+Zv8WbPSVXvaeCYWQQUEI0xOwilPA4Y3dzE5YW90nQ="
        let check = PasswordCheck(maxChecks: 1)
        let outcomes = await withTaskGroup(of: Bool?.self) { group in
            for _ in 0..<60 { group.addTask { await check.verifies("right", hash) } }
            return await group.reduce(into: [Bool?]()) { $0.append($1) }
        }
        #expect(outcomes.count { $0 == true } >= 20)
        #expect(!outcomes.contains(false))
        #expect(outcomes.contains(nil))
        #expect(await check.verifies("wrong", hash) == false)
        #expect(await check.verifies("right", nil) == false)
    }
}
