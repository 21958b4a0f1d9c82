import CloudKitModel
import CloudKitWire
import Testing

struct JSONValueTests {
    @Test(arguments: [
        "null", "true", "false", "0", "-1", "9223372036854775807", "0.5", "1e+100", #""""#, #""a\"\\\n\u0001ü""#, "[]",
        "{}", #"{"a":[1,{"b":null}],"c":"d"}"#, #"[[[]],{"":0}]"#,
    ])
    func textComesBackAsItWas(text: String) throws {
        #expect(String(decoding: try JSONValue(parsing: text).encoded(), as: UTF8.self) == text)
    }

    @Test func partsAreReachedByKeyAndIndex() throws {
        let value = try JSONValue(parsing: #" { "a" : [ 1 , 2.5 , "x" , true , null ] } "#)
        #expect(value["a"]?[0]?.int == 1)
        #expect(value["a"]?[0]?.double == 1)
        #expect(value["a"]?[1]?.double == 2.5)
        #expect(value["a"]?[1]?.int == nil)
        #expect(value["a"]?[2]?.string == "x")
        #expect(value["a"]?[3]?.bool == true)
        #expect(value["a"]?[4]?.isNull == true)
        #expect(value["a"]?[5] == nil)
        #expect(value["b"] == nil)
        #expect(value["a"]?.array?.count == 5)
        #expect(value.members?.map(\.key) == ["a"])
    }

    @Test func literalsMakeTrees() {
        let value: JSONValue = ["a": [1, 2.5, "x", true, nil], "b": [:]]
        #expect(String(decoding: value.encoded(), as: UTF8.self) == #"{"a":[1,2.5,"x",true,null],"b":{}}"#)
    }

    @Test func repeatedKeysAreRefused() {
        let error = serverError { () throws(ServerError) in try JSONValue(parsing: #"{"a":1,"\u0061":2}"#) }
        #expect(error?.reasonCode == "key_repeated")
    }

    @Test func anEmptyTextIsAnEmptyObject() throws { #expect(try JSONValue(parsing: "") == [:]) }
}
