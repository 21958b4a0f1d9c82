internal import CloudKitQuery
internal import CloudKitWire
internal import Foundation

/// The conversion of subscriptions to and from the dictionaries of the web interface (web-services 3.8).
enum SubscriptionCoding {
    /// Returns the dictionary of a subscription.
    ///
    /// - Throws: `invalidArguments` if the subscription cannot be saved.
    static func json(of subscription: CKSubscription) throws(CKError) -> JSONValue {
        guard let info = subscription.notificationInfo else {
            throw unusable(subscription, "has no notificationInfo. Set it, at least to an empty object.")
        }
        var members = [JSONValue.Member("subscriptionID", .string(subscription.subscriptionID))]
        switch subscription {
        case let subscription as CKQuerySubscription: members += try self.members(of: subscription)
        case let subscription as CKRecordZoneSubscription:
            members.append(JSONValue.Member("subscriptionType", "zone"))
            members.append(JSONValue.Member("zoneID", zone(subscription.zoneID)))
            if let type = subscription.recordType { members.append(JSONValue.Member("recordType", .string(type))) }
        case let subscription as CKDatabaseSubscription:
            members.append(JSONValue.Member("subscriptionType", "database"))
            if let type = subscription.recordType { members.append(JSONValue.Member("recordType", .string(type))) }
        default:
            throw unusable(subscription, "is of class \(type(of: subscription)), which cannot be saved.")
        }
        members.append(JSONValue.Member("notificationInfo", NotificationInfoCoding.json(of: info.settings)))
        return .object(members)
    }

    private static func unusable(_ subscription: CKSubscription, _ reason: String) -> CKError {
        CKError(.invalidArguments, "The subscription '\(subscription.subscriptionID)' \(reason)")
    }

    private static func members(of subscription: CKQuerySubscription) throws(CKError) -> [JSONValue.Member] {
        let options = subscription.querySubscriptionOptions
        let events = firingEvents.filter { options.contains($0.option) }.map { JSONValue.string($0.name) }
        guard !events.isEmpty else {
            throw unusable(subscription, "never fires. Set an option such as firesOnRecordCreation.")
        }
        let predicate = try QueryCoding.predicate(of: subscription.predicate)
        var writer = WireWriter()
        writer.filters(predicate.filters)
        // The writer produced this JSON, so parsing succeeds.
        let filters = (try? JSONValue(parsing: writer.bytes)) ?? []
        var query = [JSONValue.Member("recordType", .string(subscription.recordType ?? ""))]
        if filters != [] { query.append(JSONValue.Member("filterBy", filters)) }
        var members = [
            JSONValue.Member("subscriptionType", "query"), JSONValue.Member("query", .object(query)),
            JSONValue.Member("firesOn", .array(events)),
            JSONValue.Member("firesOnce", .bool(options.contains(.firesOnce))),
        ]
        if let zoneID = subscription.zoneID {
            members.append(JSONValue.Member("zoneID", zone(zoneID)))
        } else {
            members.append(JSONValue.Member("zoneWide", true))
        }
        return members
    }

    private static let firingEvents: [(option: CKQuerySubscription.Options, name: String)] = [
        (.firesOnRecordCreation, "create"), (.firesOnRecordUpdate, "update"), (.firesOnRecordDeletion, "delete"),
    ]

    /// Returns the subscription that a dictionary describes.
    ///
    /// - Throws: the error that the dictionary contains; `internalError` if it is not a subscription.
    static func subscription(from json: JSONValue) throws(CKError) -> CKSubscription {
        if let fault = ServerFault(json) { throw fault.error() }
        guard let id = json["subscriptionID"]?.string, let type = json["subscriptionType"]?.string else {
            throw .unexpectedAnswer("a subscription has no subscriptionID or no subscriptionType")
        }
        let subscription: CKSubscription
        switch type {
        case "query": subscription = try query(from: json, id: id)
        case "zone":
            guard let zoneID = json["zoneID"].flatMap(zone) else {
                throw .unexpectedAnswer("the subscription '\(id)' has no zoneID")
            }
            let watched = CKRecordZoneSubscription(zoneID: zoneID, subscriptionID: id)
            watched.recordType = json["recordType"]?.string
            subscription = watched
        case "database":
            let watched = CKDatabaseSubscription(subscriptionID: id)
            watched.recordType = json["recordType"]?.string
            subscription = watched
        default: throw .unexpectedAnswer("the subscription '\(id)' is of the unknown type '\(type)'")
        }
        subscription.notificationInfo = json["notificationInfo"].map(NotificationInfoCoding.info)
        return subscription
    }

    private static func query(from json: JSONValue, id: String) throws(CKError) -> CKQuerySubscription {
        guard let query = json["query"], let recordType = query["recordType"]?.string else {
            throw .unexpectedAnswer("the subscription '\(id)' has no query")
        }
        let predicate: CloudKitQuery.Predicate
        do {
            let filters = try (query["filterBy"]?.array ?? []).map { try WireFilter(decoding: $0.encoded()) }
            predicate = try CloudKitQuery.Predicate(filters: filters)
        } catch {
            throw .unexpectedAnswer("the subscription '\(id)' has a filter that cannot be read")
        }
        let names = json["firesOn"]?.array?.compactMap(\.string) ?? []
        var options = CKQuerySubscription.Options(firingEvents.filter { names.contains($0.name) }.map(\.option))
        if json["firesOnce"]?.bool == true { options.insert(.firesOnce) }
        let subscription = CKQuerySubscription(
            recordType: recordType, predicate: QueryCoding.predicate(of: predicate), subscriptionID: id,
            options: options)
        subscription.zoneID = json["zoneID"].flatMap(zone)
        return subscription
    }

    private static func zone(_ zoneID: CKRecordZone.ID) -> JSONValue {
        guard zoneID.ownerName != CKCurrentUserDefaultName else { return ["zoneName": .string(zoneID.zoneName)] }
        return ["zoneName": .string(zoneID.zoneName), "ownerRecordName": .string(zoneID.ownerName)]
    }

    private static func zone(_ json: JSONValue) -> CKRecordZone.ID? {
        guard let name = json["zoneName"]?.string else { return nil }
        return CKRecordZone.ID(
            zoneName: name, ownerName: json["ownerRecordName"]?.string ?? CKCurrentUserDefaultName)
    }
}
