internal import AMQPClient
internal import Foundation
internal import ServiceMessages

/// The form of the requests of `zonda load records`, so that a limit is measured with the same requests.
package struct LoadShape: Sendable {
    /// The record type of every record.
    static let recordType = "Load"

    /// The number of records in a request, all of one zone.
    package var operations: Int
    /// The size of one operation's JSON, in bytes.
    package var sizeBytes: Int
    /// The number of different values of the records' numbers; nil to give each record a unique number.
    var values: Int?
    /// The owner of the zone, in requests of participants; nil in requests of the owner.
    var owner: String?
    /// Returns the name of the parent of the record with a number; nil for a record without a parent.
    var parent: @Sendable (Int) -> String? = { _ in nil }

    /// Creates the form of requests.
    package init(operations: Int, sizeBytes: Int) {
        self.operations = operations
        self.sizeBytes = sizeBytes
    }

    /// Returns a `records/modify` for the zone. Its records are named `<prefix>.<number>`, with numbers from `first`
    /// on.
    func body(zone: String, namePrefix: String, first: Int = 0) -> [UInt8] {
        let operations = (first..<first + operations).map { operation(name: "\(namePrefix).\($0)", number: $0) }
        return Array(
            #"{"zoneID":\#(Self.zoneID(zone, owner: owner)),"desiredKeys":[],"operations":[\#(operations.joined(separator: ","))]}"#
                .utf8)
    }

    /// Returns the JSON of a zone ID.
    ///
    /// - Parameter owner: the owner of the zone; nil for a zone of the caller.
    static func zoneID(_ name: String, owner: String? = nil) -> String {
        #"{"zoneName":"\#(name)"\#(owner.map { #","ownerRecordName":"\#($0)""# } ?? "")}"#
    }

    private func operation(name: String, number: Int) -> String {
        let parent = parent(number).map { #","parent":{"recordName":"\#($0)"}"# } ?? ""
        let head = """
            {"operationType":"forceReplace","record":{"recordName":"\(name)","recordType":"\(Self.recordType)"\(parent),\
            "fields":{"n":{"value":\(values.map { number % $0 } ?? number),"type":"INT64"},"text":{"value":"
            """
        let tail = #"","type":"STRING"}}}}"#
        return head + Self.text(count: sizeBytes - head.utf8.count - tail.utf8.count) + tail
    }

    /// Returns random letters and blanks, so that the text does not compress well.
    private static func text(count: Int) -> String {
        let letters = Array("abcdefghijklmnopqrstuvwxyz      ".utf8)
        var bits: UInt64 = 0
        let text = (0..<max(0, count)).map { index in
            // A random number provides five bits for each of twelve letters.
            bits = index % 12 == 0 ? .random(in: .min ... .max) : bits >> 5
            return letters[Int(bits & 31)]
        }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the headers of such a request. The variables in `.zonda/env` name the database.
    static func headers() -> AMQPTable {
        let environment = ProcessInfo.processInfo.environment
        return [
            Header.version: 1,
            Header.container: .string(environment[LimitEnvironment.container] ?? "iCloud.org.example.limits"),
            Header.environment: .string(environment["ZONDA_ENVIRONMENT"] ?? "development"),
            Header.database: .string(environment["ZONDA_DATABASE"] ?? "private"),
            Header.user: .string(environment["ZONDA_USER"] ?? "_" + String(repeating: "0", count: 32)),
        ]
    }

    /// Returns the persistent message of one request, with all properties that a producer sets.
    ///
    /// - Parameter messageID: the message id, which is also the request's id.
    static func message(
        exchange: String, routingKey: String, headers: AMQPTable, messageID: String, limit: Duration, body: [UInt8]
    ) -> AMQPMessage {
        let now = Date().timeIntervalSince1970
        var headers = headers
        headers[Header.deadline] = .int64(Int64((now + limit.seconds) * 1000))
        headers[Header.requestID] = .string(messageID)
        return AMQPMessage(
            exchange: exchange, routingKey: routingKey,
            properties: AMQPProperties(
                messageID: messageID, contentType: "application/json", timestamp: UInt64(now), headers: headers),
            body: body)
    }
}

/// Message ids in the same form as those of a load, which is that of a UUID with the run, the slot and a counter.
struct MessageIDs: Sendable {
    private let run = hexadecimal(UInt64.random(in: .min ... .max), digits: 16)

    /// Returns the id of request `number` of the slot `slot`.
    func id(slot: Int, number: Int) -> String {
        "\(run.prefix(8))-\(run.dropFirst(8).prefix(4))-\(run.suffix(4))-\(hexadecimal(UInt64(slot), digits: 4))-"
            + hexadecimal(UInt64(number), digits: 12)
    }
}

/// Returns the last `digits` hexadecimal digits of `number`, with leading zeros.
func hexadecimal(_ number: UInt64, digits: Int) -> String {
    let text = String(number, radix: 16)
    return String(repeating: "0", count: max(0, digits - text.count)) + text.suffix(digits)
}
