import CloudKitWire
import ServiceMessages
import TestSupport
import Testing

extension EndToEndTests {
    /// No act of a participant changes records that are not shared with the participant, and none ends the zone.
    @Suite(.sharedGateway, .timeLimit(.minutes(2))) struct ForeignRecordTests {
        @Test(arguments: SharingUser.Transport.allCases)
        func participantsChangeOnlyWhatIsSharedWithThem(transport: SharingUser.Transport) async throws {
            let scene = try await IsolationScene(transport, on: try SharedStack.current)
            let names = ["list", "item", "diary", "album", "photo", "S-share", "P-share"]
            for caller in scene.callers where caller.level == .record {
                let foreign = caller.records.filter { $0 != "gone" } + [caller.share]
                let before = try await Self.records(foreign, of: scene)
                for kind in ["update", "forceReplace", "forceDelete"] {
                    for name in names {
                        _ = try await Self.modify(caller.user, scene, .note(kind, name, 99, below: "list"))
                        _ = try await Self.modify(caller.user, scene, .note(kind, name, 99))
                    }
                }
                _ = try await Self.modify(caller.user, scene, .share("update", caller.share, permission: "READ_WRITE"))
                let zone: JSONValue = ["operationType": "delete", "zone": ["zoneID": scene.names.zoneID]]
                _ = try await caller.user.ask(.zonesModify, in: "shared", ["operations": [zone]])

                #expect(try await Self.records(foreign, of: scene) == before, "\(caller.label)")
                let left = try await Self.modify(caller.user, scene, .note("update", "item"))
                #expect(SharingRefusal(left.body) == .zoneUnknown, "\(caller.label) \(left.body)")
            }
            // The roots and the shares cannot be deleted by participants either.
            for record in try await Self.records(["list", "album", "S-share", "P-share"], of: scene) {
                #expect(record.errorCode == nil, "\(record)")
            }
        }

        /// Returns records as the owner reads them.
        private static func records(_ names: [String], of scene: IsolationScene) async throws -> [JSONValue] {
            var records: [JSONValue] = []
            for name in names {
                let record = try await scene.owner.broker.record(IsolationScene.zone, name)
                // The addresses of assets and the ids of errors differ between two answers.
                let members = (record.members ?? []).filter { !["fields", "uuid", "requestID"].contains($0.key) }
                records.append(.object(members))
            }
            return records
        }

        private static func modify(
            _ user: SharingUser, _ scene: IsolationScene, _ operation: JSONValue
        ) async throws -> SharingUser.Answer {
            try await user.ask(
                .recordsModify, in: "shared",
                ["zoneID": scene.names.zoneID, "operations": [operation], "atomic": false])
        }
    }
}
