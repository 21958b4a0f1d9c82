import Testing

/// A request to the gateway, and the expected answer.
struct EndpointScenario: Sendable, CustomTestStringConvertible {
    /// The caller of a request.
    enum Who: Sendable {
        case nobody, world, user, key
    }

    /// A second request of the user, which shows the effect of the first.
    struct Effect: Sendable {
        var endpoint: String
        var database: String? = "private"
        var body: String
        var contains: [String]
        var lacks: [String] = []
    }

    var endpoint: String
    /// The database; nil if the path has none.
    var database: String? = "private"
    var who = Who.user
    var method = "POST"
    /// The body, in which `USER` stands for the user's record name.
    var body = "{}"
    var status = 200
    var contains: [String] = []
    var lacks: [String] = []
    var effect: Effect?

    var testDescription: String {
        "\(who) \(method) \(database ?? "device") \(endpoint) \(status) \(contains.first ?? "")"
    }

    private static let zone = #""zoneID":{"zoneName":"Drafts"}"#

    /// Requests to every endpoint, by callers who may use it and by callers who may not. The user has a zone `Drafts`
    /// with a record `n-1` of type `Note`, whose title is Milk. The default zones of the private and the public
    /// database have the same record.
    static let all: [EndpointScenario] = records + changes + zones + assets + subscriptions + users + tokens + refusals

    private static let records: [EndpointScenario] = [
        .init(
            endpoint: "records/query", body: #"{\#(zone),"query":{"recordType":"Note"}}"#,
            contains: [#""recordName":"n-1""#, "Milk", #""pluginFields":{}"#, #""deleted":false"#]),
        .init(
            endpoint: "records/query", database: "public", who: .world,
            body:
                #"{"zoneWide":true,"query":{"recordType":"Note","filterBy":{"fieldName":"title","comparator":"EQUALS","fieldValue":{"value":"Milk"}},"sortBy":[]},"resultsLimit":1}"#,
            contains: ["Milk", #""continuationMarker":""#]),
        .init(
            endpoint: "records/query", body: #"{"query":null}"#, status: 400, contains: ["BAD_REQUEST", "missing_key"]),
        .init(
            endpoint: "records/query", body: #"{"query":{"recordType":"Nothing"}}"#, status: 404,
            contains: ["NOT_FOUND"]),
        .init(
            endpoint: "records/lookup", body: #"{\#(zone),"records":{"recordName":"n-1","recordType":"Note"}}"#,
            contains: ["Milk", #""recordChangeTag":""#]),
        .init(
            endpoint: "records/lookup",
            body:
                #"{\#(zone),"records":[{"recordName":"n-1","desiredKeys":[]},{"recordName":"n-9"}],"pluginFields":null}"#,
            contains: [#""recordName":"n-9""#, "NOT_FOUND", #""fields":{}"#], lacks: ["Milk"]),
        .init(endpoint: "records/lookup", database: "public", who: .key, body: #"{"records":[{"recordName":"n-1"}]}"#),
        .init(
            endpoint: "records/modify",
            body:
                #"{\#(zone),"operations":[{"operationType":"create","record":{"recordName":"n-2","recordType":"Note","created":null,"fields":{"title":{"value":"Bread"}}}}]}"#,
            contains: ["Bread", #""created":{"timestamp":"#, "USER"],
            effect: .init(
                endpoint: "records/lookup", body: #"{\#(zone),"records":[{"recordName":"n-2"}]}"#, contains: ["Bread"])),
        .init(
            endpoint: "records/modify",
            body: #"{\#(zone),"operations":[{"operationType":"forceDelete","record":{"recordName":"n-1"}}]}"#,
            contains: [#""recordName":"n-1""#, #""deleted":true"#],
            effect: .init(
                endpoint: "records/lookup", body: #"{\#(zone),"records":[{"recordName":"n-1"}]}"#,
                contains: ["NOT_FOUND"], lacks: ["Milk"])),
        .init(
            endpoint: "records/modify",
            body:
                #"{"operations":[{"operationType":"update","record":{"recordName":"n-1","recordType":"Note","recordChangeTag":"zz","fields":{"title":{"value":"B"}}}}]}"#,
            contains: ["CONFLICT"], lacks: ["ATOMIC_ERROR"],
            effect: .init(
                endpoint: "records/lookup", body: #"{"records":[{"recordName":"n-1"}]}"#, contains: ["Milk"])),
        .init(
            endpoint: "records/modify",
            body:
                #"{"operations":[{"operationType":"create","record":{"recordName":"n-4","recordType":"Note","fields":{"folder":{"value":{"recordName":"nowhere","action":"VALIDATE"},"type":"REFERENCE"}}}}]}"#,
            contains: ["VALIDATING_REFERENCE_ERROR"],
            effect: .init(
                endpoint: "records/lookup", body: #"{"records":[{"recordName":"n-4"}]}"#, contains: ["NOT_FOUND"])),
        .init(
            endpoint: "records/modify",
            body:
                #"{\#(zone),"operations":[{"operationType":"create","record":{"recordName":"n-3","recordType":"Note"}},{"operationType":"update","record":{"recordName":"n-1","recordType":"Note","recordChangeTag":"zz"}}]}"#,
            status: 400, contains: ["ATOMIC_ERROR", "CONFLICT", #""records":["#],
            effect: .init(
                endpoint: "records/lookup", body: #"{\#(zone),"records":[{"recordName":"n-3"}]}"#,
                contains: ["NOT_FOUND"])),
        .init(
            endpoint: "records/modify",
            body:
                #"{"zoneID":{"zoneName":"Nowhere"},"operations":[{"operationType":"create","record":{"recordType":"Note"}}]}"#,
            status: 404, contains: ["ZONE_NOT_FOUND"]),
        .init(
            endpoint: "records/modify", database: "public", who: .key,
            body:
                #"{"operations":[{"operationType":"create","record":{"recordType":"Note","fields":{"title":{"value":"Key"}}}}]}"#,
            contains: ["Key", "USER"]),
        .init(
            endpoint: "records/modify", database: "public", who: .world,
            body: #"{"operations":[{"operationType":"create","record":{"recordType":"Note"}}]}"#,
            status: 421,
            contains: [
                #""serverErrorCode":"AUTHENTICATION_REQUIRED""#, #""redirectURL":"http://127.0.0.1:"#,
                #""field":"ckWebAuthToken""#, "Sign the user in at redirectURL",
            ], lacks: ["zonda-user", #""records""#]),
        .init(
            endpoint: "records/modify", database: "public",
            body: #"{"operations":[{"operationType":"create","record":{"recordType":"no type"}}]}"#,
            contains: [#""serverErrorCode":"NOT_FOUND""#, "Did not find record type: no type"]),
        .init(
            endpoint: "records/query", database: "public", body: #"{"query":{"recordType":"no type"}}"#, status: 404,
            contains: [#""serverErrorCode":"NOT_FOUND""#, "Did not find record type: no type"]),
        .init(
            endpoint: "records/modify", body: #"{"operations":[{"operationType":"mend","record":{}}]}"#,
            contains: ["BAD_REQUEST", "openapi.yaml"], lacks: ["asyncapi.yaml"]),
        .init(
            endpoint: "records/resolve", database: "public", body: #"{"shortGUIDs":[{"value":"a"}]}"#,
            contains: [#""shortGUID":{"value":"a","shouldFetchRootRecord":false}"#, "share_link_unknown"]),
        .init(
            endpoint: "records/resolve", database: "public", who: .world, body: #"{"shortGUIDs":[]}"#, status: 421,
            contains: ["AUTHENTICATION_REQUIRED"]),
        .init(
            endpoint: "records/resolve", database: "public", body: #"{"shortGUIDs":[{}]}"#, status: 400,
            contains: ["missing_key"]),
        .init(
            endpoint: "records/accept", database: "public", body: #"{"shortGUIDs":["a"]}"#,
            contains: [#""shortGUID":{"value":"a","shouldFetchRootRecord":false}"#, "share_link_unknown"]),
        .init(
            endpoint: "shares/requestAccess", database: "public", body: #"{"shortGUIDs":["a"]}"#,
            contains: [#""shortGUID":{"value":"a","shouldFetchRootRecord":false}"#, "share_link_unknown"]),
        .init(
            endpoint: "records/query", database: "shared", body: #"{"query":{"recordType":"Note"}}"#, status: 400,
            contains: ["BAD_REQUEST"]),
    ]

    private static let changes: [EndpointScenario] = [
        .init(
            endpoint: "records/changes", body: "{\(zone)}",
            contains: ["Milk", #""syncToken":""#, #""moreComing":false"#]),
        .init(
            endpoint: "records/changes", body: #"{"zoneID":{"zoneName":"_defaultZone"}}"#,
            contains: ["Milk", #""syncToken":""#]),
        .init(
            endpoint: "records/changes", database: "public", body: "{\(zone)}", status: 400, contains: ["'publicdb'"]),
        .init(
            endpoint: "changes/database", body: "{}",
            contains: [#""zoneName":"Drafts""#, #""syncToken":""#, #""moreComing":"#]),
        .init(endpoint: "changes/database", database: "public", status: 400, contains: ["'publicdb'"]),
        .init(
            endpoint: "changes/zone", body: #"{"zones":{\#(zone)},"resultsLimit":50}"#,
            contains: ["Milk", #""syncToken":""#]),
        .init(
            endpoint: "changes/zone", body: #"{"zones":[{"zoneID":{"zoneName":"Nowhere"}}]}"#,
            contains: ["ZONE_NOT_FOUND"]),
        .init(
            endpoint: "changes/zone", body: #"{"zones":[{\#(zone),"syncToken":"bm9uZQ=="}]}"#, contains: ["BAD_REQUEST"]
        ),
        .init(
            endpoint: "zones/changes", contains: [#""metaSyncToken":""#, #""moreComing":"#, "Drafts"],
            lacks: [#""syncToken""#]),
    ]

    private static let zones: [EndpointScenario] = [
        .init(endpoint: "zones/list", method: "GET", contains: ["_defaultZone", "DEFAULT_ZONE", "Drafts"]),
        .init(endpoint: "zones/list", contains: ["_defaultZone", "Drafts"]),
        .init(endpoint: "zones/list", body: "", contains: ["_defaultZone"]),
        .init(endpoint: "zones/list", database: "public", who: .key, method: "GET", contains: ["_defaultZone"]),
        .init(
            endpoint: "zones/lookup", body: #"{"zones":[{"zoneName":"Drafts"},{"zoneName":"Nowhere"}]}"#,
            contains: ["REGULAR_CUSTOM_ZONE", "ZONE_NOT_FOUND"]),
        .init(
            endpoint: "zones/modify",
            body:
                #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Later"}}},{"operationType":"delete","zone":{"zoneID":{"zoneName":"Drafts"}}}]}"#,
            contains: ["Later", #""deleted":true"#],
            effect: .init(
                endpoint: "zones/lookup", body: #"{"zones":[{"zoneName":"Later"},{"zoneName":"Drafts"}]}"#,
                contains: ["REGULAR_CUSTOM_ZONE", "ZONE_NOT_FOUND"])),
        .init(
            endpoint: "zones/modify", database: "public",
            body: #"{"operations":[{"operationType":"create","zone":{"zoneID":{"zoneName":"Later"}}}]}"#, status: 400,
            contains: ["BAD_REQUEST"]),
    ]

    private static let assets: [EndpointScenario] = [
        .init(
            endpoint: "assets/upload", body: #"{"tokens":[{"recordType":"Note","fieldName":"photo"}]}"#,
            contains: [#""fieldName":"photo""#, #""url":"http:"#, #""recordName":""#]),
        .init(endpoint: "assets/upload", body: #"{"tokens":[]}"#, contains: [#""tokens":[]"#]),
        .init(endpoint: "assets/upload", status: 400, contains: ["missing_key"]),
        .init(
            endpoint: "assets/rereference", body: #"{"assets":[{"recordName":"n-1","fieldName":"photo"}]}"#,
            // One asset that does not exist fails the whole request (web-services 2.11).
            status: 400,
            contains: ["serverErrorCode"]),
    ]

    private static let subscriptions: [EndpointScenario] = [
        .init(
            endpoint: "subscriptions/modify",
            body:
                #"{"operations":[{"operationType":"create","subscription":{"subscriptionID":"s-1","subscriptionType":"zone","zoneID":{"zoneName":"Drafts"}}}]}"#,
            contains: [#""subscriptionID":"s-1""#],
            effect: .init(
                endpoint: "subscriptions/lookup", body: #"{"subscriptions":[{"subscriptionID":"s-1"}]}"#,
                contains: [#""subscriptionType":"zone""#], lacks: ["NOT_FOUND"])),
        .init(endpoint: "subscriptions/list", method: "GET", contains: [#""subscriptions":[]"#]),
        .init(endpoint: "subscriptions/list", contains: [#""subscriptions":[]"#]),
        .init(
            endpoint: "subscriptions/lookup", body: #"{"subscriptions":[{"subscriptionID":"s-9"}]}"#,
            contains: [#""subscriptionID":"s-9""#, "NOT_FOUND"]),
    ]

    private static let users: [EndpointScenario] = [
        .init(
            endpoint: "users/caller", database: "public", method: "GET",
            contains: [#""userRecordName":"USER""#, "Ada", #""users":["#]),
        .init(endpoint: "users/caller", contains: [#""userRecordName":"USER""#]),
        .init(endpoint: "users/caller", database: "public", who: .key, contains: [#""userRecordName":"USER""#]),
        .init(
            endpoint: "users/current", database: "public", who: .key, method: "GET",
            contains: [#""userRecordName":"USER""#]),
        .init(
            endpoint: "users/current", database: "public", method: "GET",
            contains: [#""userRecordName":"USER""#, #""firstName":"Ada""#]),
        .init(
            endpoint: "users/discover", database: "public",
            body:
                #"{"lookupInfos":[{"emailAddress":"nobody@example.org"},{"phoneNumber":"1"},{"userRecordName":"_0"}]}"#,
            contains: [#""users":[]"#]),
        .init(endpoint: "users/discover", database: "public", method: "GET", contains: [#""users":"#]),
        .init(
            endpoint: "users/lookup/email", database: "public", body: #"{"users":[{"emailAddress":"a@example.org"}]}"#,
            contains: [#""users":[]"#]),
        .init(
            endpoint: "users/lookup/id", database: "public", body: #"{"users":{"userRecordName":"_0"}}"#,
            contains: [#""users":[]"#]),
        .init(endpoint: "users/lookup/contacts", database: "public", method: "GET", contains: [#""users":[]"#]),
        .init(endpoint: "users/lookup/contacts", database: "public", contains: [#""users":[]"#]),
        .init(
            endpoint: "users/discover", database: "public", who: .key, status: 401, contains: ["AUTHENTICATION_FAILED"]),
    ]

    private static let tokens: [EndpointScenario] = [
        .init(
            endpoint: "tokens/create", database: nil, body: #"{"apnsEnvironment":"development"}"#,
            contains: [#""apnsToken":""#, #""webcourierURL":""#]),
        .init(
            endpoint: "tokens/create", database: "private", body: #"{"apnsEnvironment":"development"}"#,
            contains: [#""apnsToken":""#]),
        .init(
            endpoint: "tokens/create", database: nil, who: .world, status: 421, contains: ["AUTHENTICATION_REQUIRED"]),
        .init(
            endpoint: "tokens/register", database: nil,
            body: #"{"apnsEnvironment":"development","apnsToken":"bm9uZQ=="}"#,
            status: 400, contains: ["apns_token"]),
        .init(endpoint: "tokens/create", database: nil, method: "GET", status: 405, contains: ["method_not_allowed"]),
    ]

    private static let refusals: [EndpointScenario] =
        [
            .init(endpoint: "records/query", database: "public", who: .nobody, status: 400, contains: ["BAD_REQUEST"]),
            .init(endpoint: "records/fly", status: 404, contains: ["could not find handler for endpoint"]),
            .init(endpoint: "records/zip/prepare", status: 404, contains: ["NOT_FOUND"]),
            .init(endpoint: "records/query", method: "GET", status: 405, contains: ["method_not_allowed"]),
            .init(endpoint: "records/query", method: "OPTIONS"),
            .init(endpoint: "records/query", body: "[]", status: 400, contains: ["invalid_json"]),
            .init(endpoint: "records/query", body: "{", status: 400, contains: ["invalid_json"]),
            .init(endpoint: "users/discover", status: 400, contains: ["'privatedb'"]),
            .init(endpoint: "users/discover", database: "shared", status: 400, contains: ["'shareddb'"]),
        ]
        + [
            "records/query", "records/modify", "records/changes", "changes/database", "changes/zone", "zones/list",
            "zones/modify", "zones/changes", "assets/upload", "subscriptions/list", "subscriptions/modify",
            "users/caller", "users/current",
        ].flatMap { endpoint in
            [
                // A caller without a user must sign in, and a key has access only to the public database.
                EndpointScenario(
                    endpoint: endpoint, who: .world, status: 421,
                    contains: ["AUTHENTICATION_REQUIRED", #""redirectURL":""#]),
                EndpointScenario(endpoint: endpoint, who: .key, status: 401, contains: ["AUTHENTICATION_FAILED"]),
            ]
        }
        + ["users/caller", "users/current", "users/signOut", "users/discover", "users/lookup/email", "users/lookup/id"]
        .map {
            EndpointScenario(
                endpoint: $0, database: "public", who: .world, status: 421, contains: [#""redirectURL":""#])
        }
}
