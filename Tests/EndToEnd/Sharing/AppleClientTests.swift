import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// A client that was written for Apple's service: pyicloud's service for Apple Invites, whose events are zones that
    /// are shared as a whole. See `Tests/Contract/invites.py`.
    @Suite(.sharedGateway, .timeLimit(.minutes(3))) struct AppleClientTests {
        private static let event = "3F2B6C1E-9D54-4C0B-8B57-2A6E1D0F9C11"

        @Test func aClientWrittenForApplesServiceResolvesAndAccepts() async throws {
            let stack = try SharedStack.current
            let (owner, guest) = (
                try await SharingUser.new(.http, on: stack), try await SharingUser.new(.http, on: stack)
            )
            try await owner.broker.zones("create", Self.event)
            let share: JSONValue = .share("create", "cloudkit.zoneshare", permission: "READ_WRITE")
            let details: JSONValue = [
                "recordName": .string("EventDetails:\(Self.event)"), "recordType": "EventDetails",
                "fields": ["title": ["value": "Compilers' picnic", "type": "STRING", "isEncrypted": true]],
            ]
            let saved = try await owner.broker.modify(
                Self.event, ["operationType": "create", "record": details], share)
            let link = try #require(saved["records"]?[1]?["shortGUID"]?.string, "\(saved.body)")

            let seen = try await Self.join(link, as: guest, on: stack)
            #expect(seen["resolved"]?["event"]?.string == Self.event)
            #expect(seen["resolved"]?["owner"]?.string == owner.name)
            #expect(seen["resolved"]?["status"] == "INVITED" && seen["resolved"]?["type"] == "PUBLIC_USER")
            #expect(seen["resolved"]?["permission"] == "READ_WRITE" && seen["resolved"]?["public"] == "READ_WRITE")
            #expect(seen["before"] == [] && seen["after"] == [.string(Self.event)])
            #expect(seen["event"]?["title"] == "Compilers' picnic" && seen["event"]?["scope"] == "shared")
            #expect(seen["link"]?.string == link)
            #expect(seen["participants"] == [["OWNER", "ACCEPTED"], ["PUBLIC_USER", "ACCEPTED"]])
            #expect(seen["answers"] == [["Grace", 1]])
            // The answer to the invitation is in the owner's zone.
            let name = try #require(seen["answer"]?.string)
            let answer = try await owner.broker.record(Self.event, name)
            #expect(answer["created"]?["userRecordName"]?.string == guest.name, "\(answer)")
        }

        /// Joins the event to which a link leads, and returns what the client saw.
        private static func join(
            _ link: String, as user: SharingUser, on stack: ServiceStack
        ) async throws -> JSONValue {
            guard case .user(let apiToken, let webAuthToken)? = user.web?.credentials else {
                throw TestFailure("the user has not signed in")
            }
            let settings = [
                "ZONDA_URL": stack.gatewayURL, "ZONDA_CONTAINER": stack.container, "ZONDA_API_TOKEN": apiToken,
                "ZONDA_WEB_AUTH_TOKEN": webAuthToken, "ZONDA_LINK": link,
            ]
            let client = try ChildProcess.ofRepository("Tests/Contract/check", ["invites"], settings)
            let exit = try await client.exit(within: .seconds(120))
            try #require(exit == .code(0), "\(client.outputText)\(client.errorText)")
            return try JSONValue(parsing: client.outputText)
        }
    }
}
