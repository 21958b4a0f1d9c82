import AMQPClient
import CloudKitWire
import Foundation
import ServiceMessages
import Testing

@testable import RecordService
@testable import RecordStorage

struct FaultSwitchTests {
    private static func request(fault: String?) throws -> WriteRequest {
        var request = try BatchPlannerTests.request(BatchPlannerTests.operation("create"))
        guard let fault else { return request }
        var delivery = request.delivery
        delivery.properties.headers[Header.fault] = .string(fault)
        request = WriteRequest(
            delivery: delivery, context: request.context, body: request.body, bodyHash: [], zone: request.zone)
        return request
    }

    @Test(arguments: [
        (true, ["drop-event"], 0), (true, [nil, "drop-event"], 0), (true, [nil, "other"], 1),
        (false, ["drop-event"], 1),
    ])
    func eventsAreDroppedWhereARequestAsksForItAndFaultsAreOn(isOn: Bool, faults: [String?], published: Int) throws {
        let event = ChangeEvent(
            address: BatchPlannerTests.zone.address, incarnation: UUID(), fromSeq: 1, toSeq: 1, xid: 1, client: nil,
            user: "_u", at: 1, syncToken: "", records: nil)
        let requests = try faults.map(Self.request)
        #expect(FaultSwitch(isOn: isOn).published([event], of: requests).count == published)
    }

    @Test(arguments: [
        (true, ["slow-transaction"], 1), (true, [nil, "slow-transaction"], 1), (true, ["other"], 0),
        (false, ["slow-transaction"], 0),
    ])
    func transactionDawdlesWhereARequestAsksForItAndFaultsAreOn(isOn: Bool, faults: [String?], calls: Int) throws {
        let requests = try faults.map(Self.request)
        #expect(FaultSwitch(isOn: isOn).beforeCommit(of: requests).count == calls)
    }
}
