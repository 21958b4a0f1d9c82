package import AMQPClient
package import CloudKitModel
package import CloudKitWire
internal import Foundation
package import RecordStorage
package import ServiceMessages

/// One `records.modify` on its way through a lane: decoded, with its zone found.
package struct WriteRequest: Sendable {
    /// The message, to be acknowledged when its answer is confirmed.
    package let delivery: AMQPDelivery
    /// Where and for whom.
    package let context: RequestContext
    /// What is asked.
    package let body: ModifyRecordsRequest
    /// SHA-256 of what is asked and where: the same id with another of these is refused.
    package let bodyHash: [UInt8]
    /// What change tags and generated names are made from: another one for each delivery.
    let identity = UUID()
    /// The zone as the directory knew it; found again when its row turns out to be deleted.
    package var zone: ZoneEntry
    /// How often the request waited for its types to be learnt.
    package var timesLearnt = 0
    /// Whether it has a transaction to itself: the records it needs were too large to be read with others'.
    package var isAlone = false
    /// Whether it waits for its zone however long that takes: the broker did not take it back.
    package var isKept = false

    /// Whether the targets of `DELETE_SELF` references have to be there, as CloudKit's web services want it; to native
    /// clients only those of `VALIDATE` and of parents do (semantics 5.2).
    package var checksOwners = false

    /// The producer's id of this request.
    package var messageID: MessageID { MessageID(unchecked: delivery.properties.messageID ?? "") }
    /// Whether one failure undoes all: the documented default in custom zones, ignored in the default zone
    /// (semantics 4.3).
    package var isAtomic: Bool { body.atomic != false && !isInDefaultZone }
    /// Whether the zone is the default zone.
    package var isInDefaultZone: Bool { zone.address.zone == .defaultZone }
    /// A delivery that came back twice is executed alone, so that it can harm no neighbour.
    package var isPoisonCandidate: Bool { delivery.deliveryCount >= 2 }

    /// A request as received.
    package init(
        delivery: AMQPDelivery, context: RequestContext, body: ModifyRecordsRequest, bodyHash: [UInt8], zone: ZoneEntry
    ) {
        self.delivery = delivery
        self.context = context
        self.body = body
        self.bodyHash = bodyHash
        self.zone = zone
    }
}
