import CloudKitModel
import CloudKitWire
import Foundation
import Synchronization

@testable import CloudKit

/// Answers the requests of operations in the order in which they are sent.
final class FakeServer: Sendable {
    typealias Answer = @Sendable (WebRequest, JSONValue) async throws -> JSONValue

    private let state = Mutex<(requests: [WebRequest], answers: [Answer])>(([], []))
    private let scope: DatabaseScope

    init(_ scope: DatabaseScope = .private, _ answers: Answer...) {
        self.scope = scope
        state.withLock { $0.answers = answers }
    }

    /// The requests so far.
    var requests: [(action: String, body: JSONValue)] {
        state.withLock { $0.requests }.map { ($0.action, (try? JSONValue(parsing: $0.body)) ?? nil) }
    }

    /// The names under which the server recognizes repeats.
    var idempotencyKeys: [String] { state.withLock { $0.requests }.map(\.idempotencyKey) }

    /// Lets an operation send its requests to this server.
    func serve(_ operation: CKOperation, assets: AssetTransfers = .none) {
        operation.endpoint = { [self] _ in
            WebDatabase(scope, assets: assets) { request async throws(CKError) in try await self.answer(request) }
        }
    }

    private func answer(_ request: WebRequest) async throws(CKError) -> [UInt8] {
        let answer = state.withLock { state -> Answer? in
            state.requests.append(request)
            // The last answer is given to all further requests.
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers.first
        }
        do {
            let body = try JSONValue(parsing: request.body)
            return try await answer?(request, body).encoded() ?? []
        } catch let error as CKError {
            throw error
        } catch {
            throw CKError(.operationCancelled)
        }
    }
}

extension FakeServer {
    /// The JSON of an error of one item.
    static func fault(_ code: CKError.Code, _ more: [JSONValue.Member] = []) -> JSONValue {
        .object(
            [
                JSONValue.Member("serverErrorCode", "BAD_REQUEST"),
                JSONValue.Member("ckErrorCode", .int(Int64(code.rawValue))), JSONValue.Member("reason", "refused"),
            ] + more)
    }

    /// The JSON of a record.
    static func record(_ name: String, tag: String = "1", zone: String = "_defaultZone") -> JSONValue {
        [
            "recordName": .string(name), "recordType": "Note", "recordChangeTag": .string(tag),
            "fields": ["title": ["value": .string(name), "type": "STRING"]], "pluginFields": [:], "deleted": false,
            "zoneID": ["zoneName": .string(zone), "ownerRecordName": "_me", "zoneType": "REGULAR_CUSTOM_ZONE"],
            "created": ["timestamp": 1, "userRecordName": "_me", "deviceID": "d"],
            "modified": ["timestamp": 1, "userRecordName": "_me", "deviceID": "d"],
        ]
    }

    /// Answers each operation of `records/modify` with success.
    static let saves: Answer = { _, body in
        ["records": .array((body["operations"]?.array ?? []).map { answer(to: $0) })]
    }

    static func answer(to operation: JSONValue) -> JSONValue {
        let name = operation["record"]?["recordName"]?.string ?? ""
        guard operation["operationType"] != "forceDelete" else {
            return ["recordName": .string(name), "deleted": true]
        }
        return record(name, tag: "2")
    }
}

/// What happened, in order.
final class EventLog: Sendable {
    private let events = Mutex<[String]>([])

    func add(_ event: String) { events.withLock { $0.append(event) } }

    var all: [String] { events.withLock { $0 } }
}

extension CKOperation {
    /// Runs the operation, and waits until it and its `completionBlock` have ended.
    func run(on queue: OperationQueue = OperationQueue()) async {
        await withCheckedContinuation { continuation in
            let given = completionBlock
            completionBlock = {
                given?()
                continuation.resume()
            }
            queue.addOperation(self)
        }
    }
}

extension Result {
    /// The code of the error, or "ok".
    var outcome: String {
        switch self {
        case .success: "ok"
        case .failure(let error): (error as? CKError).map { "\($0.code)" } ?? "?"
        }
    }
}

extension CKRecord {
    static func note(_ name: String, zone: String = "_defaultZone") -> CKRecord {
        let id = CKRecord.ID(recordName: name, zoneID: CKRecordZone.ID(zoneName: zone))
        let record = CKRecord(recordType: "Note", recordID: id)
        record["title"] = name
        return record
    }
}
