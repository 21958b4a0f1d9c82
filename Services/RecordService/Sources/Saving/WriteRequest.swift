package import AMQPClient
package import CloudKitModel
package import CloudKitWire
internal import Foundation
package import RecordStorage
package import ServiceMessages

/// One `records.modify` on its way through a lane: decoded, with its zone.
package struct WriteRequest: Sendable {
    /// The message, which is acknowledged when its answer is confirmed.
    package let delivery: AMQPDelivery
    /// The context of the request.
    package let context: RequestContext
    /// The body of the request.
    package let body: ModifyRecordsRequest
    /// The SHA-256 of body and context. The same id with another digest is refused.
    package let bodyHash: [UInt8]
    /// The source of change tags and generated names, which differs for each delivery.
    let identity = UUID()
    /// The zone as the directory knew it; looked up again if its row turns out to be deleted.
    package var zone: ZoneEntry
    /// The number of times the request waited for an extension of the schema.
    package var schemaExtensions = 0
    /// Whether it has a transaction to itself, because the records that it needs were too large to be read with those
    /// of others.
    package var isAlone = false
    /// Whether it waits for its zone however long that takes, because the broker did not take it back.
    package var isKept = false

    /// Whether the targets of `DELETE_SELF` references have to exist, as for CloudKit's web services; for native
    /// clients only those of `VALIDATE` references and of parents have to (semantics 5.2).
    package var checksOwners = false

    /// The producer's id of this request.
    package var messageID: MessageID { MessageID(unchecked: delivery.properties.messageID ?? "") }
    /// Whether one failure undoes all operations: the documented default in custom zones, ignored in the default zone
    /// (semantics 4.3).
    package var isAtomic: Bool { body.atomic != false && !isInDefaultZone }
    /// Whether the zone is the default zone.
    package var isInDefaultZone: Bool { zone.address.zone == .defaultZone }
    /// Whether the delivery came back twice, so that it is executed alone and cannot harm others.
    package var isPoisonCandidate: Bool { delivery.deliveryCount >= 2 }

    /// Creates a request as it was received.
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
