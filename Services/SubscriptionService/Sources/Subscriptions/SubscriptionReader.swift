internal import CloudKitModel
internal import CloudKitQuery
internal import CloudKitWire
internal import ServiceMessages
internal import SubscriptionStorage

/// Reads the subscription dictionaries of a request (web-services 3.8).
struct SubscriptionReader {
    let context: RequestContext

    /// Reads a subscription dictionary and assigns the ID `id` to the subscription.
    ///
    /// - Throws: a `BAD_REQUEST` error that names the key.
    func subscription(_ json: JSONValue, id: SubscriptionID) throws(ServerError) -> Subscription {
        let info = json["notificationInfo"] ?? .null
        return Subscription(
            subscriptionID: id, kind: try kind(json), notificationInfo: info.isNull ? nil : try NotificationInfo(info))
    }

    private func kind(_ json: JSONValue) throws(ServerError) -> Subscription.Kind {
        switch json["subscriptionType"]?.string {
        case "query":
            guard context.scope != .shared else { throw unsupported("A query subscription") }
            return .query(try query(json))
        // MistKit sends database subscriptions as zone subscriptions with `zoneWide`.
        case "zone" where json["zoneWide"]?.bool != true:
            guard context.scope == .private else { throw unsupported("A zone subscription") }
            guard let zoneID = try zoneID(json) else { throw .missingKey("zoneID") }
            guard !zoneID.isDefault else {
                throw ServerError(
                    .defaultZoneNotWatchable,
                    "A zone subscription needs a custom zone; use a query subscription for the default zone",
                    field: "zoneID")
            }
            return .zone(zoneID, recordType: try recordType(json))
        case "database", "zone":
            guard context.scope != .public else { throw unsupported("A database subscription") }
            return .database(recordType: try recordType(json))
        case nil: throw .missingKey("subscriptionType")
        case .some(let type):
            throw ServerError(.subscriptionTypeUnknown, "Unknown subscriptionType '\(type)'", field: "subscriptionType")
        }
    }

    /// Returns the error for a kind of subscription that the database does not support (semantics 9.1).
    private func unsupported(_ what: String) -> ServerError {
        ServerError(
            .zoneSubscriptionNotInDatabase, "\(what) cannot watch the \(context.scope.wireName) database",
            field: "subscriptionType")
    }

    private func query(_ json: JSONValue) throws(ServerError) -> WatchedQuery {
        guard let dictionary = json["query"], !dictionary.isNull else { throw .missingKey("query") }
        guard dictionary.members != nil else { throw .wrongKind("query", expected: "a query dictionary") }
        guard let recordType = dictionary["recordType"]?.string else { throw .missingKey("recordType") }
        let zoneWide = try flag("zoneWide", json)
        var zoneID = try zoneID(json)
        // If `zoneWide` is false and there is no `zoneID`, the query watches the default zone (web-services 3.8).
        if zoneID == nil, zoneWide == false { zoneID = ownZone(.defaultZone) }
        return WatchedQuery(
            dictionary: try Self.written(dictionary), recordType: recordType, zoneID: zoneID,
            firesOn: try firesOn(json),
            firesOnce: try flag("firesOnce", json) ?? false)
    }

    /// Returns a query dictionary in the form that Zonda writes, without sort descriptors, which have no effect in a
    /// subscription.
    ///
    /// - Throws: a `BAD_REQUEST` error that names the filter's field.
    private static func written(_ dictionary: JSONValue) throws(ServerError) -> JSONValue {
        let asked = try QueryRecordsRequest(decoding: JSONValue.object([.init("query", dictionary)]).encoded())
        var query = try Query(asked.query)
        query.sorts = []
        var writer = WireWriter()
        writer.queryRecords(QueryRecordsRequest(query: query.wire))
        return try JSONValue(parsing: writer.bytes)["query"] ?? dictionary
    }

    private func firesOn(_ json: JSONValue) throws(ServerError) -> FiringEvents {
        let value = json["firesOn"] ?? .null
        guard value.isNull || value.array != nil else { throw .wrongKind("firesOn", expected: "an array") }
        var events: FiringEvents = []
        for element in value.array ?? [] {
            guard let event = FiringEvents.named.first(where: { $0.name == element.string })?.event else {
                throw ServerError(
                    .firesOnUnknown, "Unknown event in firesOn; use 'create', 'update' or 'delete'", field: "firesOn")
            }
            events.insert(event)
        }
        // CKQuerySubscription raises an exception if there are no events.
        guard !events.isEmpty else {
            throw ServerError(
                .firesOnNothing, "You must pass at least one of 'create', 'update' and 'delete'", field: "firesOn")
        }
        return events
    }

    private func flag(_ key: String, _ json: JSONValue) throws(ServerError) -> Bool? {
        let value = json[key] ?? .null
        guard value.isNull || value.bool != nil else { throw .wrongKind(key, expected: "true or false") }
        return value.bool
    }

    private func recordType(_ json: JSONValue) throws(ServerError) -> String? {
        let value = json["recordType"] ?? .null
        guard value.isNull || value.string != nil else { throw .wrongKind("recordType", expected: "a string") }
        guard let name = value.string else { return nil }
        do {
            return try RecordTypeName(validating: name).rawValue
        } catch {
            throw ServerError(error, field: "recordType")
        }
    }

    /// Returns the zone that a dictionary names: a zone of the caller or of the public database.
    private func zoneID(_ json: JSONValue) throws(ServerError) -> ZoneID? {
        let value = json["zoneID"] ?? .null
        guard !value.isNull else { return nil }
        guard value.members != nil else { throw .wrongKind("zoneID", expected: "a zone ID dictionary") }
        guard let name = value["zoneName"]?.string else { throw .missingKey("zoneName") }
        // The default zone of the public database has no owner, and a named owner is ignored (web-services 9).
        if context.scope == .private {
            let owner = value["ownerRecordName"]?.string ?? context.user
            guard [context.user, RequestContext.defaultOwner, "_defaultOwner", ""].contains(owner) else {
                throw ServerError(
                    .zoneOfAnotherUser,
                    "The zone belongs to another user; other users' zones are in the shared database",
                    field: "ownerRecordName")
            }
        }
        do {
            return ownZone(try ZoneName(validating: name))
        } catch {
            throw ServerError(error, field: "zoneName")
        }
    }

    private func ownZone(_ name: ZoneName) -> ZoneID {
        ZoneID(
            zoneName: name, ownerRecordName: context.scope == .private ? UserName(unchecked: context.user) : nil)
    }
}
