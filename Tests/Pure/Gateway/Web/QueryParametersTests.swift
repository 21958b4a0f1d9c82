import Testing

@testable import Gateway

@Suite struct QueryParametersTests {
    @Test(arguments: [
        ("a=1&b=2", "b", "2"), ("a=1&a=2", "a", "1"), ("t=%2B%2F%3D", "t", "+/="), ("t=a+b", "t", "a+b"),
        ("t=%zz%4", "t", "%zz%4"), ("t", "t", ""), ("t=a=b", "t", "a=b"), ("%61=x", "a", "x"), ("t=%C3%A4", "t", "ä"),
    ])
    func aParameterIsDecodedOnce(query: String, name: String, value: String) {
        #expect(QueryParameters(query)[name] == value)
    }

    @Test func anAbsentParameterIsNil() {
        #expect(QueryParameters("")["a"] == nil)
        #expect(QueryParameters("b=1")["a"] == nil)
    }
}
