internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import ServiceMessages

/// The body of `subscriptions.modify` (web-services 2.16).
struct SubscriptionsModifyRequest: Sendable {
    /// What one operation asks for.
    enum Operation: Sendable, Equatable {
        case create(Subscription)
        case update(Subscription)
        case delete(String)
        /// It cannot be executed: its item is this error.
        case refused(ServerError, subscriptionID: String?)

        /// What it would save.
        var subscription: Subscription? {
            switch self {
            case .create(let subscription), .update(let subscription): subscription
            case .delete, .refused: nil
            }
        }
    }

    /// What to do, in order.
    var operations: [Operation]

    /// The namespace of the IDs that the service makes.
    private static let namespace = UUID(
        uuid: (
            0x5C, 0x1B, 0x3E, 0x52, 0x0A, 0x6F, 0x4E, 0x0D, 0x9C, 0x3B, 0x7A, 0x51, 0x27, 0x90, 0xE4, 0x18
        ))

    /// Reads a body. A subscription without an ID gets one that is the same when the request is repeated.
    ///
    /// - Throws: `BAD_REQUEST` when the body has no list of at most `maxOperations` operations.
    init(decoding body: [UInt8], messageID: String, context: RequestContext, maxOperations: Int) throws(ServerError) {
        guard let operations = try JSONValue(parsing: body)["operations"] else { throw .missingKey("operations") }
        guard let elements = operations.array else { throw .wrongKind("operations", expected: "an array") }
        guard elements.count <= maxOperations else {
            throw .tooMany("operations", limit: maxOperations, actual: elements.count)
        }
        self.operations = elements.enumerated().map { position, element in
            let made = UUID(version5: "\(context.user) \(messageID) \(position)", in: Self.namespace).uuidString
            return Self.operation(element, made, context)
        }
    }

    private static func operation(_ json: JSONValue, _ madeID: String, _ context: RequestContext) -> Operation {
        let dictionary = json["subscription"] ?? .null
        do throws(ServerError) {
            guard let kind = json["operationType"]?.string else { throw .missingKey("operationType") }
            guard !dictionary.isNull else { throw .missingKey("subscription") }
            guard dictionary.members != nil else { throw .wrongKind("subscription", expected: "a dictionary") }
            switch kind {
            case "create":
                return .create(try subscription(dictionary, try subscriptionID(dictionary) ?? madeID, context))
            case "update", "delete":
                guard let id = try subscriptionID(dictionary) else { throw .missingKey("subscriptionID") }
                return kind == "delete" ? .delete(id) : .update(try subscription(dictionary, id, context))
            default:
                throw ServerError(.unknownOperation, "Unknown operationType '\(kind)'", field: "operationType")
            }
        } catch {
            return .refused(error, subscriptionID: dictionary["subscriptionID"]?.string)
        }
    }

    /// The ID of a subscription dictionary; nil when it has none.
    ///
    /// - Throws: `BAD_REQUEST` when it is not a name of 1 to 255 bytes.
    static func subscriptionID(_ json: JSONValue) throws(ServerError) -> String? {
        guard let value = json["subscriptionID"], !value.isNull else { return nil }
        guard let id = value.string else { throw .wrongKind("subscriptionID", expected: "a string") }
        guard (1...255).contains(id.utf8.count), id.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw ServerError(
                .subscriptionIDInvalid, "A subscriptionID has 1 to 255 bytes and no control characters",
                field: "subscriptionID",
                limit: 255, actual: id.utf8.count)
        }
        return id
    }

    private static func subscription(_ json: JSONValue, _ id: String, _ context: RequestContext) throws(ServerError)
        -> Subscription
    {
        switch json["subscriptionType"]?.string {
        case "zone" where json["zoneWide"]?.bool != true: break
        // Their place: what they match is decided where the fan-out matches (`Delivery/Notifier.swift`).
        case "zone", "query", "database":
            throw ServerError(
                .subscriptionTypeNotServed,
                "Subscriptions of queries and of whole databases are not served yet; a zone's are",
                field: "subscriptionType")
        case nil: throw .missingKey("subscriptionType")
        case .some(let type):
            throw ServerError(.subscriptionTypeUnknown, "Unknown subscriptionType '\(type)'", field: "subscriptionType")
        }
        let info = json["notificationInfo"] ?? .null
        return Subscription(
            subscriptionID: id, zoneID: try zoneID(json["zoneID"] ?? .null, context),
            notificationInfo: info.isNull ? nil : try NotificationInfo(info))
    }

    /// The zone to watch: a custom zone of the caller's in the private database (semantics 9.1).
    private static func zoneID(_ json: JSONValue, _ context: RequestContext) throws(ServerError) -> ZoneID {
        guard context.scope == .private else {
            throw ServerError(
                .zoneSubscriptionNotInDatabase,
                "Zones of the \(context.scope.wireName) database cannot be watched by subscriptions",
                field: "subscriptionType")
        }
        guard !json.isNull else { throw .missingKey("zoneID") }
        guard json.members != nil else { throw .wrongKind("zoneID", expected: "a zone ID dictionary") }
        guard let name = json["zoneName"]?.string else { throw .missingKey("zoneName") }
        let owner = json["ownerRecordName"]?.string ?? context.user
        guard [context.user, RequestContext.defaultOwner, "_defaultOwner", ""].contains(owner) else {
            throw ServerError(
                .zoneOfAnotherUser, "The zone belongs to another user; zones of others are in the shared database",
                field: "ownerRecordName")
        }
        let zoneID = ZoneID(zoneName: ZoneName(unchecked: name), ownerRecordName: UserName(unchecked: context.user))
        guard !zoneID.isDefault else {
            throw ServerError(
                .defaultZoneNotWatchable,
                "The default zone has no change feed: a zone subscription needs a custom zone", field: "zoneID")
        }
        return zoneID
    }
}
