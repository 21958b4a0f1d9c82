import AMQPClient
import ServiceMessages
import Testing

/// The header `traceparent` of W3C Trace Context.
@Suite struct TraceParentTests {
    private static let sample = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"

    @Test(arguments: [sample, "00-ffffffffffffffffffffffffffffffff-0000000000000001-00"])
    func wellFormedIsTakenAsItCame(_ value: String) {
        #expect(TraceParent(value)?.description == value)
    }

    @Test(arguments: [
        "", "00", sample + "-", sample + "0", String(sample.dropLast()),
        "01-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
        "00-0AF7651916CD43DD8448EB211C80319C-B7AD6B7169203331-01",
        "00-00000000000000000000000000000000-b7ad6b7169203331-01",
        "00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01",
        "00-0af7651916cd43dd8448eb211c80319-b7ad6b71692033310-01",
        "00-0af7651916cd43dd8448eb211c80319g-b7ad6b7169203331-01",
        "00_0af7651916cd43dd8448eb211c80319c_b7ad6b7169203331_01",
    ])
    func malformedIsIgnored(_ value: String) {
        #expect(TraceParent(value) == nil)
    }

    @Test func comesFromAHeaderAndGoesIntoOne() {
        let headers: AMQPTable = ["traceparent": .string(Self.sample)]
        var further: AMQPTable = [:]
        further.set(TraceParent(headers))
        #expect(further == headers)
        further.set(TraceParent(["traceparent": .int64(1)]))
        #expect(further == headers)
    }

    @Test func isNotARequestsFaultWhenItIsMalformed() throws {
        let properties = AMQPProperties(headers: ["traceparent": "nonsense"])
        let context = try RequestContext(properties, operation: .containersList)
        #expect(context.trace == nil)
    }
}
