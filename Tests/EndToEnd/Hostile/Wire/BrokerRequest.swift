import CloudKitWire
import Foundation
import ServiceMessages
import TestGenerators

/// A property of a message. The cases are in the order of the flags.
enum BrokerProperty: String, Sendable, CaseIterable {
    case contentType = "content-type"
    case contentEncoding = "content-encoding"
    case headers
    case deliveryMode = "delivery-mode"
    case priority
    case correlationID = "correlation-id"
    case replyTo = "reply-to"
    case expiration
    case messageID = "message-id"
    case timestamp
    case type
    case userID = "user-id"
    case appID = "app-id"

    /// The property's bit in the flags.
    var flag: UInt16 { 0x8000 >> UInt16(Self.allCases.firstIndex(of: self) ?? 0) }
}

/// The headers of a hostile message, as bytes.
enum BrokerHeaders {
    /// A header: its name, and its value preceded by the byte of its type.
    typealias Header = (name: [UInt8], value: [UInt8])

    /// Returns the names of the headers that get faults: those of the example, and one that no service knows.
    static func names(of example: DocumentedRequest.Example) -> [String] { example.headers.map(\.key) + ["x-unknown"] }

    /// Returns a value preceded by its type.
    static func value(_ value: JSONValue) -> [UInt8] {
        switch value {
        case .null: [UInt8(ascii: "V")]
        case .bool(let flag): [UInt8(ascii: "t"), flag ? 1 : 0]
        case .int(let number): [UInt8(ascii: "l")] + BrokerFrame.big(number)
        case .double(let number): [UInt8(ascii: "d")] + BrokerFrame.big(number.bitPattern)
        case .string(let text): self.text(Array(text.utf8))
        case .array(let values): [UInt8(ascii: "A")] + BrokerFrame.long(values.flatMap { self.value($0) })
        case .object(let members):
            [UInt8(ascii: "F")] + table(members.map { (Array($0.key.utf8), self.value($0.value)) })
        }
    }

    static func text(_ bytes: [UInt8]) -> [UInt8] { [UInt8(ascii: "S")] + BrokerFrame.long(bytes) }

    static func table(_ headers: [Header]) -> [UInt8] {
        BrokerFrame.long(headers.flatMap { BrokerFrame.short($0.name) + $0.value })
    }

    /// Returns tables that are nested `depth` levels deep.
    static func nested(_ depth: Int) -> [UInt8] {
        var value: [UInt8] = [UInt8(ascii: "V")]
        var head: [[UInt8]] = []
        // Written from the outside in, so that each length is written once. A level is a key, a type and a length.
        var size = value.count
        for _ in 0..<depth {
            size += 2
            head.append([UInt8(ascii: "F")] + BrokerFrame.big(UInt32(size)) + [1, UInt8(ascii: "k")])
            size += 5
        }
        value = head.reversed().flatMap { $0 } + value
        return value
    }

    /// Returns the headers, one of which has a fault.
    static func spoil(
        _ headers: [Header], _ name: String, _ kind: HostileKind, _ generator: inout SeededGenerator
    ) -> [Header] {
        let key = Array(name.utf8)
        let old = headers.first { $0.name == key }?.value ?? text(Array("a".utf8))
        let rest = headers.filter { $0.name != key }
        switch kind {
        case .missing: return rest
        case .null: return rest + [(key, [UInt8(ascii: "V")])]
        case .repeated: return headers.filter { $0.name == key } + headers + [(key, value(1))]
        case .wrongType: return rest + [(key, otherTypes.filter { $0.first != old.first }.drawn(&generator))]
        case .manyEntries:
            if Bool.random(using: &generator) { return rest + (0..<350).map { _ in (key, value(1)) } }
            let count = [BrokerFrame.maxBytes * 2 / 3, BrokerFrame.maxBytes - 2000].drawn(&generator)
            return rest + [
                (key, [UInt8(ascii: "A")] + BrokerFrame.long(Array(repeating: UInt8(ascii: "V"), count: count)))
            ]
        case .depth: return rest + [(key, nested([2, 9, 200].drawn(&generator)))]
        case .longText where Bool.random(using: &generator):
            return rest + [
                (key, old),
                (Array(repeating: 97, count: 255), text(Array(repeating: 97, count: BrokerFrame.maxBytes / 2))),
            ]
        default: return rest + [(key, text(HostileText.bytes(kind, limit: BrokerFrame.maxBytes / 2, &generator)))]
        }
    }

    /// One value of each type that a table may contain, and of some types that it may not contain.
    private static let otherTypes: [[UInt8]] = [
        value(1), value(-1), value(true), value(0.5), value(nil), value("a"), value(["a"]), value(["a": 1]),
        Array("x".utf8) + BrokerFrame.long([1, 2, 3]), Array("T".utf8) + BrokerFrame.big(UInt64.max),
        Array("D".utf8) + [255] + BrokerFrame.big(Int32.min), Array("b".utf8) + [0x80],
        Array("s".utf8) + [0x80, 0], Array("I".utf8) + BrokerFrame.big(Int32.min),
        Array("l".utf8) + BrokerFrame.big(Int64.min), Array("f".utf8) + BrokerFrame.big(Float.nan.bitPattern),
        Array("d".utf8) + BrokerFrame.big(Double.infinity.bitPattern), Array("l".utf8) + BrokerFrame.big(Int64.max),
    ]
}

/// A message to a service, as bytes.
struct BrokerRequest: Sendable {
    var exchange: String
    var routingKey: [UInt8]
    /// The encoded properties, without the headers.
    var properties: [BrokerProperty: [UInt8]] = [:]
    var headers: [BrokerHeaders.Header] = []
    var body: [UInt8] = []

    /// The frames of the message.
    var frames: [UInt8] {
        var flags = BrokerProperty.headers.flag
        var bytes: [UInt8] = []
        for property in BrokerProperty.allCases {
            if property == .headers {
                bytes += BrokerHeaders.table(headers)
            } else if let value = properties[property] {
                flags |= property.flag
                bytes += value
            }
        }
        return BrokerFrame.publish(exchange: exchange, routingKey: routingKey)
            + BrokerFrame.header(bodyBytes: UInt64(body.count), properties: BrokerFrame.big(flags) + bytes)
            + BrokerFrame.body(body)
    }

    /// Sets a property to a text.
    mutating func set(_ property: BrokerProperty, _ text: String) {
        properties[property] = BrokerFrame.short(Array(text.utf8))
    }

    /// Sets a header.
    mutating func set(header name: String, _ value: JSONValue) {
        headers.removeAll { $0.name == Array(name.utf8) }
        headers.append((Array(name.utf8), BrokerHeaders.value(value)))
    }
}
