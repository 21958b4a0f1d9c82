import CloudKitModel
import CloudKitWire
import Foundation
import HTTPTypes
import Testing

@testable import Gateway
@testable import GatewayStorage

@Suite struct UsersOperationsTests {
    struct Directory: UserDirectory {
        let ada = Account(
            id: 1, email: "Ada@example.org", givenName: "Ada", familyName: "Doe", isDiscoverable: false)
        let ben = Account(id: 2, email: "ben@example.org", givenName: "Ben", familyName: nil, isDiscoverable: true)
        let hidden = Account(
            id: 3, email: "hidden@example.org", givenName: "Hidden", familyName: "One", isDiscoverable: false)
        var users: [ContainerUser] {
            [ada, ben, hidden].map { ContainerUser(account: $0, userName: UsersOperationsTests.name($0.id)) }
        }

        func account(id: Int64) async throws -> Account? { users.map(\.account).first { $0.id == id } }

        func users(emails: [String], in container: String) async throws -> [ContainerUser] {
            let emails = emails.map { $0.lowercased() }
            return users.filter { emails.contains($0.account.email.lowercased()) }
        }

        func users(names: [String], in container: String) async throws -> [ContainerUser] {
            users.filter { names.contains($0.userName) }
        }

        func endSession(_ id: UUID) async throws -> Bool { true }
    }

    static func name(_ id: Int64) -> String { "_" + String(repeating: String(id), count: 32) }
    static let ada = Caller(kind: .user(account: 1), userName: name(1), apiToken: nil, renewedToken: nil)
    static let key = Caller(kind: .serverKey(id: "ab"), userName: name(9), apiToken: nil, renewedToken: nil)

    static func ask(
        _ endpoint: Endpoint, _ body: String? = nil, as caller: Caller = ada
    ) async throws -> String {
        let request = GatewayRequest(
            method: body == nil ? .get : .post, target: "", path: "", query: QueryParameters(""), headers: [:],
            body: Array((body ?? "").utf8), address: "", requestID: "", trace: nil)
        let path = EndpointPath(
            container: "iCloud.org.example.Notes", environment: .development, database: .public, endpoint: endpoint)
        let answer = try await UsersOperations(accounts: Directory()).answer(to: request, at: path, for: caller)
        #expect(answer.status == 200)
        return String(decoding: answer.body, as: UTF8.self)
    }

    @Test func theCallerSeesTheirOwnIdentity() async throws {
        let identity =
            #""userRecordName":"\#(Self.name(1))","nameComponents":{"givenName":"Ada","familyName":"Doe"},"#
            + #""lookupInfo":{"emailAddress":"Ada@example.org"}"#
        #expect(
            try await Self.ask(.usersCaller)
                == #"{\#(identity),"firstName":"Ada","lastName":"Doe","users":[{\#(identity)}]}"#)
        #expect(
            try await Self.ask(.usersCurrent)
                == #"{"userRecordName":"\#(Self.name(1))","firstName":"Ada","lastName":"Doe"}"#)
    }

    @Test func aServerKeyHasOnlyAName() async throws {
        let name = Self.name(9)
        #expect(
            try await Self.ask(.usersCaller, as: Self.key)
                == #"{"userRecordName":"\#(name)","users":[{"userRecordName":"\#(name)"}]}"#)
        #expect(
            try await Self.ask(.usersCurrent, as: Self.key)
                == #"{"userRecordName":"\#(name)","firstName":null,"lastName":null}"#)
    }

    @Test func aRemovedAccountHasToSignIn() async throws {
        let gone = Caller(kind: .user(account: 99), userName: Self.name(8), apiToken: nil, renewedToken: nil)
        await #expect { try await Self.ask(.usersCaller, as: gone) } throws: {
            ($0 as? ServerError)?.code == .authenticationRequired
        }
    }

    @Test func onlyUsersWhoAgreedAreDiscovered() async throws {
        let body = #"""
            {"lookupInfos": [{"emailAddress": "hidden@example.org"}, {"emailAddress": "BEN@example.org"},
              {"emailAddress": "nobody@example.org", "phoneNumber": null}, {"phoneNumber": "+1"}, null, {},
              {"userRecordName": "\#(Self.name(3))"}, {"userRecordName": "\#(Self.name(2))"},
              {"userRecordName": "\#(Self.name(1))"}, {"userRecordName": "x"}, {"emailAddress": "a"}]}
            """#
        #expect(
            try await Self.ask(.usersDiscover, body)
                == #"{"users":[{"userRecordName":"\#(Self.name(2))","nameComponents":{"givenName":"Ben"},"#
                + #""lookupInfo":{"emailAddress":"BEN@example.org"}},"#
                + #"{"userRecordName":"\#(Self.name(2))","nameComponents":{"givenName":"Ben"},"#
                + #""lookupInfo":{"userRecordName":"\#(Self.name(2))"}},"#
                + #"{"userRecordName":"\#(Self.name(1))","nameComponents":{"givenName":"Ada","familyName":"Doe"},"#
                + #""lookupInfo":{"userRecordName":"\#(Self.name(1))"}}]}"#)
    }

    @Test(arguments: [#""userRecordName": "x\u0000""#, #""emailAddress": "a\u0000@example.org""#])
    func aTextWithNULIsRefused(member: String) async throws {
        await #expect { try await Self.ask(.usersDiscover, #"{"lookupInfos": [{\#(member)}]}"#) } throws: {
            ($0 as? ServerError)?.reasonCode == "nul_in_string"
        }
    }

    @Test func theOlderLookUpsAnswerWithBothSetsOfKeys() async throws {
        #expect(
            try await Self.ask(.usersLookupEmail, #"{"users": {"emailAddress": "ben@example.org"}}"#)
                == #"{"users":[{"userRecordName":"\#(Self.name(2))","nameComponents":{"givenName":"Ben"},"#
                + #""lookupInfo":{"emailAddress":"ben@example.org"},"firstName":"Ben","emailAddress":"ben@example.org"}]}"#
        )
        #expect(
            try await Self.ask(.usersLookupID, #"{"users": [{"userRecordName": "\#(Self.name(2))"}]}"#)
                == #"{"users":[{"userRecordName":"\#(Self.name(2))","nameComponents":{"givenName":"Ben"},"#
                + #""lookupInfo":{"userRecordName":"\#(Self.name(2))"},"firstName":"Ben"}]}"#)
    }

    @Test func thereIsNoAddressBook() async throws {
        for (endpoint, body) in [
            (.usersDiscover, nil), (.usersDiscover, "{}"), (.usersDiscover, ""),
            (.usersDiscover, #"{"lookupInfos":null}"#), (.usersLookupContacts, nil), (.usersLookupContacts, "{}"),
        ] as [(Endpoint, String?)] {
            #expect(try await Self.ask(endpoint, body) == #"{"users":[]}"#)
        }
    }

    @Test(arguments: [
        (Endpoint.usersDiscover, #"{"lookupInfos": 1}"#, "wrong_kind"),
        (.usersDiscover, #"{"lookupInfos": ["a@example.org"]}"#, "wrong_kind"),
        (.usersDiscover, #"{"lookupInfos": [{"emailAddress": 1}]}"#, "wrong_kind"),
        (.usersDiscover, #"{"lookupInfos": [{"phoneNumber": []}]}"#, "wrong_kind"),
        (.usersLookupID, "{}", "missing_key"), (.usersLookupEmail, #"{"users": null}"#, "missing_key"),
        (.usersLookupID, "{", "invalid_json"),
    ])
    func aMalformedRequestIsRefused(endpoint: Endpoint, body: String, reasonCode: String) async throws {
        await #expect { try await Self.ask(endpoint, body) } throws: {
            ($0 as? ServerError)?.reasonCode == reasonCode
        }
    }

    @Test func moreThan200AreTooMany() async throws {
        func body(_ count: Int) -> String {
            #"{"users": ["# + Array(repeating: #"{"emailAddress": "x@y"}"#, count: count).joined(separator: ",") + "]}"
        }
        #expect(try await Self.ask(.usersLookupEmail, body(200)) == #"{"users":[]}"#)
        await #expect { try await Self.ask(.usersLookupEmail, body(201)) } throws: {
            ($0 as? ServerError)?.limit == 200
        }
    }
}
