import CloudKitModel
import CloudKitQuery
import CloudKitWire
import CommandLineSession

/// Subscriptions as lines of text.
enum SubscriptionLine {
    /// Returns a subscription as a line, such as `notes-watch  zone Notes` or
    /// `paid  query Order in all zones where state == "paid" on create, once`.
    static func text(_ subscription: JSONValue) -> String {
        (subscription["subscriptionID"]?.string ?? "") + "  " + what(subscription)
    }

    /// Returns the zone, database or query of a subscription.
    static func what(_ subscription: JSONValue) -> String {
        let zone = subscription["zoneID"]?["zoneName"]?.string
        let isWide = subscription["zoneWide"]?.bool == true
        let type = subscription["recordType"]?.string.map { ", \($0) only" } ?? ""
        switch subscription["subscriptionType"]?.string {
        case "query": return query(subscription, in: isWide ? "all zones" : zone ?? ZoneName.defaultZone.rawValue)
        case "database": return "database\(type)"
        case "zone" where isWide: return "database\(type)"
        case let kind?: return "\(kind) \(zone ?? "")\(type)"
        case nil: return zone.map { "zone \($0)" } ?? ""
        }
    }

    private static func query(_ subscription: JSONValue, in place: String) -> String {
        let query = subscription["query"] ?? .null
        var text = "query \(query["recordType"]?.string ?? "") in \(place)"
        if let filters = query["filterBy"]?.array, !filters.isEmpty { text += " where \(predicate(filters))" }
        let events = (subscription["firesOn"]?.array ?? []).compactMap(\.string)
        if events.count < 3 { text += " on \(events.joined(separator: ", "))" }
        return subscription["firesOnce"]?.bool == true ? text + ", once" : text
    }

    /// Returns the filters as a predicate, or as JSON if they cannot be converted.
    private static func predicate(_ filters: [JSONValue]) -> String {
        guard let tree = try? Predicate(parsing: (["and": .array(filters)] as JSONValue).encoded()) else {
            return JSONValue.array(filters).text
        }
        return tree.format
    }
}
