package import AMQPClient
package import CloudKitModel
package import CloudKitWire
internal import Foundation
package import RecordStorage
package import ServiceMessages

/// A decoded `records.modify` request whose zone is known.
package struct WriteRequest: Sendable {
    /// The message, which is acknowledged once the broker has confirmed the answer.
    package let delivery: AMQPDelivery
    /// The context of the request.
    package let context: RequestContext
    /// The body of the request.
    package let body: ModifyRecordsRequest
    /// The SHA-256 of the body and the context. A request with the same id but a different digest is refused.
    package let bodyHash: [UInt8]
    /// The source of change tags and generated names. It differs for each delivery.
    let identity = UUID()
    /// The zone that the directory found. It is looked up again if its row turns out to be deleted.
    package var zone: ZoneEntry
    /// The number of times that the request has waited for a schema extension.
    package var schemaExtensions = 0
    /// Whether the request gets its own transaction, as it does if the records that it needs are too large to be read
    /// together with those of other requests.
    package var isAlone = false
    /// Whether the request waits for its zone without a time limit, as it does if the broker refused to take it back.
    package var isKept = false

    /// Further ids under which the ledger records the request when it is executed.
    var marks: [MessageID] = []

    /// Whether the targets of `DELETE_SELF` references must exist, as in CloudKit's web services. For native clients,
    /// only parents and the targets of `VALIDATE` references must exist (semantics 5.2).
    package var checksOwners = false

    /// The id that the producer assigned to the request.
    package var messageID: MessageID { MessageID(unchecked: delivery.properties.messageID ?? "") }
    /// Whether a single failure undoes all operations. This is the documented default in custom zones; the default zone
    /// ignores the setting (semantics 4.3).
    package var isAtomic: Bool { body.atomic != false && !isInDefaultZone }
    /// Whether the request is a participant's write to another user's zone, in the shared database.
    package var isShared: Bool { context.scope == .shared }
    /// The zone as the request names it.
    package var zoneID: ZoneID { body.zoneID ?? .defaultZone }
    /// Whether the zone is the default zone.
    package var isInDefaultZone: Bool { zone.address.zone == .defaultZone }
    /// Whether the message has returned to its queue twice. The request is then executed alone, so that it cannot harm
    /// other requests.
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
