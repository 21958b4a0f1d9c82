import CloudKitWire
package import CommandLineSession
import OperatorMessages
import ServiceMessages
package import TestSupport

/// Answers for a ``FakeAssetStore`` as the services do, in this process and over HTTP.
package struct FakeAssetService: Requester {
    package let store: FakeAssetStore
    package let server: FakeHTTPServer

    package init(_ faults: FakeAssetStore.Faults = FakeAssetStore.Faults()) {
        let store = FakeAssetStore(faults)
        self.store = store
        server = FakeHTTPServer(takesBody: { store.takesBody($0) }, { store.answer($0) })
    }

    package func ask(_ request: Request, limit: Duration) async throws(RequestFailure) -> Answer {
        if request.operation == .assetsPut { return good(store.store(request.body)) }
        let body = try Answer(status: 200, body: request.body, attempts: 1).json()
        switch request.operation {
        case .assetsUpload:
            return good([
                "tokens": .array(
                    (body["tokens"]?.array ?? []).map { token in
                        [
                            "recordName": token["recordName"] ?? "made", "fieldName": token["fieldName"] ?? .null,
                            "url": .string("\(server.url)/upload/ticket"),
                        ]
                    })
            ])
        case .recordsModify: return good(["records": .array((body["operations"]?.array ?? []).map(store.modify))])
        case .recordsLookup:
            return good([
                "records": .array(
                    (body["records"]?.array ?? []).map { record in
                        store.record(record["recordName"]?.string ?? "", url: server.url)
                    })
            ])
        case .assetsRereference:
            let place = body["assets"]?[0]
            let record = store.saved(place?["recordName"]?.string ?? "")
            let asset = record?["fields"]?[place?["fieldName"]?.string ?? ""]?["value"] ?? .null
            return good(["assets": [store.receipt(asset["fileChecksum"] ?? .null)]])
        case .assetsStat:
            let checksum = body["checksum"]?.string ?? ""
            guard store.isKept(checksum) else {
                throw .refused(RequestFailure.Refusal(["serverErrorCode": "NOT_FOUND"])!)
            }
            return good(
                JSONValue(
                    encoding: AssetStatus(container: "", checksum: checksum, fileChecksum: "", blob: 1, size: 1)))
        case .assetsReceipt:
            return good(["assets": .array((body["fileChecksums"]?.array ?? []).map(store.receipt))])
        case .zonesModify: return good(["zones": []])
        default: throw .unanswered(reason: "not served")
        }
    }

    private func good(_ json: JSONValue) -> Answer { Answer(status: 200, body: json.encoded(), attempts: 1) }
}
