import CloudKitModel
import HTTPServing
import HTTPTypes
import ServiceMessages
import Testing

struct AnswerTests {
    private static let echoing = CrossOrigin(.echoed, exposedHeaders: "Via", requestHeaders: "Content-Type")
    private static let open = CrossOrigin(.any, exposedHeaders: "ETag", requestHeaders: "*")

    @Test func anEchoedOriginIsReturnedWithCredentials() {
        var headers: HTTPFields = [:]
        Self.echoing.allow("https://example.com", in: &headers)
        #expect(
            headers == [
                .vary: "Origin", .accessControlAllowOrigin: "https://example.com",
                .accessControlAllowCredentials: "true", .accessControlExposeHeaders: "Via",
            ])
    }

    @Test func withoutAnOriginOnlyTheVaryHeaderIsSent() {
        var headers: HTTPFields = [:]
        Self.echoing.allow(nil, in: &headers)
        #expect(headers == [.vary: "Origin"])
    }

    @Test func anyOriginIsAllowedWithoutCredentials() {
        var headers: HTTPFields = [:]
        Self.open.allow("https://example.com", in: &headers)
        #expect(headers == [.accessControlAllowOrigin: "*", .accessControlExposeHeaders: "ETag"])
    }

    @Test(arguments: [(nil, "Content-Type"), ("X-One", "X-One")])
    func aPreflightAllowsTheHeadersThatItNames(named: String?, allowed: String) {
        var request: HTTPFields = [:]
        request[.accessControlRequestHeaders] = named
        let headers = Self.echoing.preflight(request, allow: "GET,OPTIONS")
        #expect(headers[.accessControlAllowHeaders] == allowed)
        #expect(headers[.allow] == "GET,OPTIONS" && headers[.accessControlAllowMethods] == "GET,OPTIONS")
        #expect(headers[.accessControlMaxAge] == "86400")
    }

    @Test func anErrorHasItsStatusItsIDAndTheTimeToWait() {
        let error = ServerError(.recordServiceAway, "The record service cannot be reached", retryAfter: 2)
        let answer = ErrorAnswer(error, requestID: "id-1")
        #expect(answer.status == error.code.httpStatus)
        #expect(answer.headers[.contentType] == "application/json; charset=UTF-8" && answer.headers[.retryAfter] == "2")
        #expect(String(decoding: answer.body, as: UTF8.self).contains("\"uuid\":\"id-1\""))
    }

    @Test func eachRequestHasAnIDOfItsOwnAndTheTraceOfItsHeaders() throws {
        let name = try #require(HTTPField.Name("traceparent"))
        let trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"
        let (one, other) = (RequestOrigin([name: trace]), RequestOrigin([:]))
        #expect(one.requestID != other.requestID && one.work.requestID == one.requestID)
        #expect(one.trace == TraceParent(trace) && one.trace != nil && other.trace == nil)
    }
}
