internal import CloudKitModel
internal import CloudKitWire
internal import Foundation
internal import ServiceMessages
internal import SubscriptionStorage

/// The body of `subscriptions.modify` (web-services 2.16).
struct SubscriptionsModifyRequest: Sendable {
    /// One operation.
    enum Operation: Sendable, Equatable {
        case create(Subscription)
        case update(Subscription)
        case delete(SubscriptionID)
        /// An operation that cannot be executed. Its item in the answer is the error.
        case refused(ServerError, subscriptionID: SubscriptionID?)

        /// The subscription that the operation would save; nil if it saves none.
        var subscription: Subscription? {
            switch self {
            case .create(let subscription), .update(let subscription): subscription
            case .delete, .refused: nil
            }
        }

        /// Returns the operation with the record service's answer added to its query.
        func watching(_ interest: Result<QueryInterest, ServerError>) -> Operation {
            guard var subscription, case .query(var query) = subscription.kind else { return self }
            switch interest {
            case .failure(let error): return .refused(error, subscriptionID: subscription.subscriptionID)
            case .success(let interest): query.interest = interest
            }
            subscription.kind = .query(query)
            if case .update = self { return .update(subscription) }
            return .create(subscription)
        }
    }

    /// The operations in order.
    var operations: [Operation]

    /// The namespace of generated IDs.
    private static let namespace = UUID(
        uuid: (
            0x5C, 0x1B, 0x3E, 0x52, 0x0A, 0x6F, 0x4E, 0x0D, 0x9C, 0x3B, 0x7A, 0x51, 0x27, 0x90, 0xE4, 0x18
        ))

    /// Reads a body. A subscription without an ID gets a generated one, which is the same if the request is repeated.
    ///
    /// - Throws: `BAD_REQUEST` if the body does not contain a list of at most `maxOperations` operations.
    init(decoding body: [UInt8], messageID: String, context: RequestContext, maxOperations: Int) throws(ServerError) {
        guard let operations = try JSONValue(parsing: body)["operations"] else { throw .missingKey("operations") }
        guard let elements = operations.array else { throw .wrongKind("operations", expected: "an array") }
        guard elements.count <= maxOperations else {
            throw .tooMany("operations", limit: maxOperations, actual: elements.count)
        }
        self.operations = elements.enumerated().map { position, element in
            let made = UUID(version5: "\(context.user) \(messageID) \(position)", in: Self.namespace).uuidString
            return Self.operation(element, SubscriptionID(unchecked: made), context)
        }
    }

    private static func operation(_ json: JSONValue, _ madeID: SubscriptionID, _ context: RequestContext) -> Operation {
        let dictionary = json["subscription"] ?? .null
        let reader = SubscriptionReader(context: context)
        do throws(ServerError) {
            guard let kind = json["operationType"]?.string else { throw .missingKey("operationType") }
            guard !dictionary.isNull else { throw .missingKey("subscription") }
            guard dictionary.members != nil else { throw .wrongKind("subscription", expected: "a dictionary") }
            switch kind {
            case "create":
                return .create(try reader.subscription(dictionary, id: try subscriptionID(dictionary) ?? madeID))
            case "update", "delete":
                guard let id = try subscriptionID(dictionary) else { throw .missingKey("subscriptionID") }
                return kind == "delete" ? .delete(id) : .update(try reader.subscription(dictionary, id: id))
            default:
                throw ServerError(.unknownOperation, "Unknown operationType '\(kind)'", field: "operationType")
            }
        } catch {
            return .refused(
                error, subscriptionID: dictionary["subscriptionID"]?.string.map(SubscriptionID.init(unchecked:)))
        }
    }

    /// Reads the ID of a subscription dictionary. Returns nil if the dictionary has none.
    ///
    /// - Throws: `BAD_REQUEST` if the ID is not a string of 1 to 255 bytes without control characters.
    static func subscriptionID(_ json: JSONValue) throws(ServerError) -> SubscriptionID? {
        guard let value = json["subscriptionID"], !value.isNull else { return nil }
        guard let id = value.string else { throw .wrongKind("subscriptionID", expected: "a string") }
        guard (1...255).contains(id.utf8.count), id.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else {
            throw ServerError(
                .subscriptionIDInvalid,
                "A subscriptionID must be 1 to 255 bytes long and contain no control characters",
                field: "subscriptionID",
                limit: 255, actual: id.utf8.count)
        }
        return SubscriptionID(unchecked: id)
    }
}
