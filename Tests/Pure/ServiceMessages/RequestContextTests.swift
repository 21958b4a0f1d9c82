import AMQPClient
import CloudKitModel
import ServiceMessages
import Testing

struct RequestContextTests {
    static let user = "_" + String(repeating: "0", count: 32)

    static func properties(_ changes: (inout AMQPProperties) -> Void = { _ in }) -> AMQPProperties {
        var properties = AMQPProperties(
            messageID: "m1",
            headers: [
                Header.container: .string("iCloud.t"), Header.environment: .string("development"),
                Header.database: .string("private"), Header.user: .string(user),
            ])
        changes(&properties)
        return properties
    }

    @Test func soundHeadersSayWhereAndForWhom() throws {
        let context = try RequestContext(Self.properties(), operation: .recordsModify)
        #expect(context.address(ofZone: "Z").owner == Self.user)
        #expect(context.scope == .private)
        #expect(!context.isExpired(at: .max))
    }

    @Test(arguments: [Header.container, Header.environment, Header.database])
    func aMissingHeaderIsNamed(header: String) {
        let error = #expect(throws: ServerError.self) {
            _ = try RequestContext(Self.properties { $0.headers[header] = nil }, operation: .recordsLookup)
        }
        #expect(error?.reasonCode == "header_missing")
        #expect(error?.field == header)
    }

    @Test func aWriteNeedsAMessageIDAndAReadDoesNot() throws {
        let error = #expect(throws: ServerError.self) {
            _ = try RequestContext(Self.properties { $0.messageID = nil }, operation: .recordsModify)
        }
        #expect(error?.reasonCode == "message_id_required")
        _ = try RequestContext(Self.properties { $0.messageID = nil }, operation: .recordsLookup)
    }

    @Test func aPrivateDatabaseNeedsAUserAndAPublicOneDoesNot() throws {
        let error = #expect(throws: ServerError.self) {
            _ = try RequestContext(Self.properties { $0.headers[Header.user] = nil }, operation: .recordsLookup)
        }
        #expect(error?.code == .authenticationRequired)
        let context = try RequestContext(
            Self.properties {
                $0.headers[Header.user] = nil
                $0.headers[Header.database] = .string("public")
            }, operation: .recordsLookup)
        #expect(context.user == RequestContext.world)
        #expect(context.databaseOwner == ZoneAddress.publicOwner)
    }

    @Test(arguments: ["_abc", "alice", "_" + String(repeating: "G", count: 32)])
    func aUserOfAnotherFormIsRefused(user: String) {
        let error = #expect(throws: ServerError.self) {
            _ = try RequestContext(Self.properties { $0.headers[Header.user] = .string(user) }, operation: .zonesList)
        }
        #expect(error?.field == Header.user)
    }

    @Test(arguments: [Header.requestID, Header.client, "message-id"], ["a\nb", String(repeating: "x", count: 256)])
    func textsOfTheSenderThatNoLogTakesAreRefused(name: String, text: String) {
        let properties = Self.properties {
            if name == "message-id" { $0.messageID = text } else { $0.headers[name] = .string(text) }
        }
        let error = #expect(throws: ServerError.self) {
            _ = try RequestContext(properties, operation: .recordsModify)
        }
        #expect(error?.reasonCode == "header_invalid")
        #expect(error?.field == name)
        #expect(RequestContext.requestID(of: properties) != text)
    }

    @Test func aRequestIsCalledAsItsSenderCallsItOrElseNewly() {
        #expect(RequestContext.requestID(of: Self.properties()) == "m1")
        #expect(RequestContext.requestID(of: Self.properties { $0.headers[Header.requestID] = "r1" }) == "r1")
        #expect(RequestContext.requestID(of: Self.properties { $0.messageID = "" }).utf8.count == 36)
    }

    @Test func aDeadlineOfThePastHasPassed() throws {
        let context = try RequestContext(
            Self.properties { $0.headers[Header.deadline] = .int64(1000) }, operation: .zonesList)
        #expect(context.isExpired(at: 1001))
        #expect(!context.isExpired(at: 1000))
    }
}
