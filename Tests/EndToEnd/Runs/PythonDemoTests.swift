import CloudKitWire
import Foundation
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// A client in another language needs only an AMQP library and the documentation.
    @Suite(.timeLimit(.minutes(2))) struct PythonDemoTests {
        /// A zone whose name must be encoded, and is too long for a part of a routing key.
        private static let zone = "Notes & more. *" + String(repeating: "ä", count: 30)

        @Test func consumerHearsWhatTheProducerSaves() async throws {
            try await ServiceStack.with { stack in
                for name in [ServiceName.asset, .record, .subscription] { try await stack.startService(name) }
                let settings = stack.clientSettings
                let demo = try await Self.run([Self.zone], settings)
                #expect(demo.exit == .code(0), "\(demo.outputText)\(demo.errorText)")
                for number in 1...3 {
                    #expect(demo.outputText.contains("saved note-\(number)"))
                    #expect(demo.outputText.contains("heard \(number) created note-\(number)"))
                }
                // The second time, the records already exist.
                let again = try await Self.run([Self.zone], settings)
                #expect(again.exit == .code(0), "\(again.outputText)\(again.errorText)")
                #expect(again.outputText.contains("heard 6 updated note-3"))
                // An error in an answer ends the program.
                let refused = try await Self.run([Self.zone], settings.merging(["ZONDA_DATABASE": "public"]) { $1 })
                #expect(refused.exit == .code(1))
                #expect(refused.errorText.contains("zones.modify: 400 BAD_REQUEST"))
            }
        }

        @Test func consumersRoutingKeyPartsAreTheServices() async throws {
            let names =
                ["Z", "iCloud.org.example.app", "a*b#c%d~e", "Ärger", "tab\tname", "a b"]
                + [40, 41].map { String(repeating: "x", count: $0) } + [Self.zone]
            let python = try ChildProcess.ofRepository("Tests/Contract/check", ["parts"] + names)
            let exit = try await python.exit(within: .seconds(60))
            try #require(exit == .code(0), "\(python.outputText)\(python.errorText)")
            let parts = try JSONValue(parsing: python.outputText)
            #expect(parts.array?.compactMap(\.string) == names.map(RoutingKey.part))
        }

        private static func run(_ arguments: [String], _ settings: [String: String]) async throws -> ChildProcess {
            let demo = try ChildProcess.ofRepository("deploy/demo/python/run", arguments, settings)
            _ = try await demo.exit(within: .seconds(60))
            return demo
        }
    }
}
