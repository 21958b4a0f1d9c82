import CloudKitModel
import CloudKitWire
import Testing

struct ReplyTests {
    static let user = "_7f0c2d7f6a1e4c55a2f3b3a1c0de9911"
    static let zone = ZoneID(zoneName: ZoneName(unchecked: "Drafts"), ownerRecordName: UserName(unchecked: user))

    static var envelope: RecordEnvelope {
        RecordEnvelope(
            recordName: "n-0007", recordType: "Note", recordChangeTag: "mk3q0v1c",
            created: RecordEnvelope.Stamp(timestamp: 1_768_465_800_123, userRecordName: user),
            modified: RecordEnvelope.Stamp(timestamp: 1_768_469_400_456, userRecordName: user, deviceID: "iPad"))
    }

    @Test func aRecordHasEveryKeyThatClientsCountOn() throws {
        var fields = StoredFields()
        fields.set("title", .string("Milk"))
        let text = written { writer in writer.record(Self.envelope, fields: fields, types: { _ in .string }) }
        let expected: JSONValue = [
            "recordName": "n-0007", "recordType": "Note", "fields": ["title": ["value": "Milk", "type": "STRING"]],
            "pluginFields": [:], "recordChangeTag": "mk3q0v1c",
            "created": ["timestamp": 1_768_465_800_123, "userRecordName": .string(Self.user), "deviceID": "2"],
            "modified": ["timestamp": 1_768_469_400_456, "userRecordName": .string(Self.user), "deviceID": "iPad"],
            "deleted": false,
        ]
        #expect(try JSONValue(parsing: text) == expected)
    }

    @Test func zoneParentAndShortIdentifierAreWrittenWhenThere() throws {
        var envelope = Self.envelope
        envelope.zoneID = Self.zone
        envelope.parent = "p/1"
        envelope.sharing = SharingEnvelope(shortGUID: "0abc")
        let json = try JSONValue(
            parsing: written { writer in writer.record(envelope, fields: StoredFields(), types: { _ in nil }) })
        #expect(json["fields"] == [:])
        #expect(json["parent"] == ["recordName": "p/1"])
        #expect(json["shortGUID"] == "0abc")
        #expect(
            json["zoneID"] == [
                "zoneName": "Drafts", "ownerRecordName": .string(Self.user), "zoneType": "REGULAR_CUSTOM_ZONE",
            ])
    }

    @Test func onlyDesiredFieldsOfKnownTypeAreWritten() throws {
        var fields = StoredFields()
        for name in ["a", "b", "gone"] { fields.set(name, .int64(1)) }
        func names(_ desired: Set<String>?) throws -> [String] {
            let text = written { writer in
                writer.record(
                    Self.envelope, fields: fields, types: { $0 == "gone" ? nil : .int64 }, desiredKeys: desired)
            }
            return try #require(JSONValue(parsing: text)["fields"]?.members).map(\.key)
        }
        #expect(try names(nil) == ["a", "b"])
        #expect(try names(["b", "x", "gone"]) == ["b"])
        #expect(try names([]) == [])
    }

    @Test func assetsGetTheirAddressesOnTheWayOut() throws {
        var fields = StoredFields()
        fields.set("one", .asset(Asset(fileChecksum: "c1", size: 5)))
        fields.set("many", .list(.asset, [.asset(Asset(fileChecksum: "c2", size: 6))]))
        let text = written { writer in
            writer.record(
                Self.envelope, fields: fields, types: { $0 == "one" ? .asset : .list(.asset) },
                downloadURL: { asset in asset.fileChecksum.map { "http://assets/\($0)" } })
        }
        let record = try #require(try WireReply(decoding: Array(#"{"records":[\#(text)]}"#.utf8)).records?.first)
        #expect(
            record.value("one") == .asset(Asset(fileChecksum: "c1", size: 5, downloadURL: "http://assets/c1")))
        #expect(
            record.value("many")
                == .list(.asset, [.asset(Asset(fileChecksum: "c2", size: 6, downloadURL: "http://assets/c2"))]))
    }

    @Test func noReplyNamesABlob() throws {
        var fields = StoredFields()
        fields.set("one", .asset(Asset(fileChecksum: "c1", size: 5, blob: 7)))
        fields.set("many", .list(.asset, [.asset(Asset(fileChecksum: "c2", blob: 8))]))
        for type in [FieldType(.asset), FieldType(.asset, isEncrypted: true)] {
            for url: ((Asset) -> String?)? in [nil, { _ in nil }, { _ in "http://x" }] {
                let text = written { writer in
                    writer.record(
                        Self.envelope, fields: fields,
                        types: { $0 == "one" ? type : FieldType(.asset, isList: true, isEncrypted: type.isEncrypted) },
                        downloadURL: url)
                }
                #expect(text.contains("c1") && text.contains("c2"))
                #expect(!text.contains("blob"))
            }
        }
    }

    @Test func tombstonesAndZonesHaveTheirForms() {
        #expect(written { $0.tombstone(recordName: "n-2") } == #"{"recordName":"n-2","deleted":true}"#)
        #expect(
            written { $0.tombstone(recordName: "n-2", recordType: "Note") }
                == #"{"recordName":"n-2","recordType":"Note","deleted":true}"#)
        #expect(
            written {
                $0.isForWeb = true
                $0.tombstone(recordName: "n-2", recordType: "Note")
            } == #"{"recordName":"n-2","deletedRecordType":"Note","deleted":true}"#)
        #expect(
            written { $0.zone(.defaultZone) }
                == #"{"zoneID":{"zoneName":"_defaultZone","zoneType":"DEFAULT_ZONE"},"atomic":false}"#)
        #expect(
            written { $0.zone(ZoneID(zoneName: ZoneName(unchecked: "Z")), syncToken: "AQ==", deleted: false) }
                == #"{"zoneID":{"zoneName":"Z","zoneType":"REGULAR_CUSTOM_ZONE"},"syncToken":"AQ==","atomic":true,"deleted":false}"#
        )
        #expect(
            written { $0.zone(ZoneID(zoneName: ZoneName(unchecked: "Z")), deleted: true) }
                == #"{"zoneID":{"zoneName":"Z","zoneType":"REGULAR_CUSTOM_ZONE"},"deleted":true}"#)
    }

    @Test func errorsOfItemsComeBackWhole() throws {
        var error = ServerError.recordTooLarge(limit: 10, actual: 20, largest: [("f", 19)])
        error.retryAfter = 3
        let text = written { writer in
            writer.beginObject()
            writer.key("records")
            writer.beginArray()
            writer.itemError(error, recordName: "n")
            writer.itemError(.staleChangeTag("n-0007")) { writer in
                writer.record(Self.envelope, fields: StoredFields(), types: { _ in nil })
            }
            writer.endArray()
            writer.key("zones")
            writer.beginArray()
            writer.itemError(.zoneNotFound(Self.zone))
            writer.endArray()
            writer.endObject()
        }
        let reply = try WireReply(decoding: Array(text.utf8))
        #expect(reply.records?[0].error == error.about(recordName: "n"))
        #expect(reply.records?[1].error == .staleChangeTag("n-0007"))
        #expect(reply.records?[1].serverRecord.first?.record.recordChangeTag == "mk3q0v1c")
        #expect(reply.zones?[0].error == .zoneNotFound(Self.zone))
        #expect(reply.zones?[0].zoneID == Self.zone)
        #expect(reply.error == nil)
    }

    @Test func anErrorOfTheRequestHasItsIdAndMayListTheRecords() throws {
        let text = written { writer in
            writer.requestError(.atomicBatchFailed(failed: 1, of: 2), uuid: "6a0f") { writer in
                writer.itemError(.staleChangeTag("n-1"))
                writer.itemError(.atomicFailure("n-2"))
            }
        }
        let reply = try WireReply(decoding: Array(text.utf8))
        #expect(reply.uuid == "6a0f")
        #expect(reply.error?.code == .atomicError)
        #expect(reply.error?.reason == "1 of 2 operations failed; nothing was saved")
        #expect(reply.records?.map { $0.error?.code } == [.conflict, .atomicError])
        let signIn = written { $0.requestError(.accessDenied("x"), uuid: "u", redirectURL: "https://s/?a=b") }
        #expect(signIn.contains(#""redirectURL":"https://s/?a=b""#))
    }

    @Test func feedsAreRead() throws {
        let reply = try WireReply(
            decoding: Array(
                #"""
                {"zones":[{"zoneID":{"zoneName":"Drafts"},"syncToken":"AQ==","moreComing":null,"records":[
                  {"recordName":"n-1","recordType":"Note","fields":{},"pluginFields":{},"recordChangeTag":"x","created":null,"deleted":false},
                  {"recordName":"n-2","deleted":true}]}],"syncToken":"BB==","metaSyncToken":null,"moreComing":true,"continuationMarker":"m"}
                """#.utf8))
        #expect(reply.moreComing)
        #expect(reply.syncToken == "BB==")
        #expect(reply.continuationMarker == "m")
        #expect(reply.zones?[0].records.map(\.isDeleted) == [false, true])
        #expect(reply.zones?[0].syncToken == "AQ==")
        #expect(reply.zones?[0].moreComing == false)
        #expect(reply.records == nil)
    }

    @Test func unknownErrorCodesAreInternalErrors() throws {
        let reply = try WireReply(decoding: Array(#"{"serverErrorCode":"ZONE_BUSY","ckErrorCode":23}"#.utf8))
        #expect(reply.error?.code == .internalError)
        #expect(reply.error?.ckErrorCode == 23)
        #expect(reply.error?.reason == "ZONE_BUSY")
    }
}
