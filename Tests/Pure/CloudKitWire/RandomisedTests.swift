import CloudKitModel
import CloudKitWire
import TestGenerators
import Testing

/// Properties that hold for all inputs, tested with many values from fixed seeds.
struct RandomisedTests {
    @Test(arguments: 0..<20)
    func whateverIsStoredIsReadBackExactly(seed: Int) throws {
        var values = RandomValues(seed: UInt64(seed))
        for _ in 0..<50 {
            let record = values.record()
            var request = ModifyRecordsRequest(operations: [WireOperation(.forceReplace, record)])
            let read = try ModifyRecordsRequest(decoding: Array(written { $0.modifyRecords(request) }.utf8))
            #expect(read == request)
            request = read

            var stored = StoredFields()
            var size = 0
            for field in request.operations[0].record.fields {
                stored.set(field.name, try #require(field.value))
                size += try #require(field.value).countedSize(named: field.name)
            }
            let types = Dictionary(
                uniqueKeysWithValues: request.operations[0].record.fields.map { ($0.name, $0.declaredType) })
            let again = try StoredFields(parsing: stored.encoded())
            #expect(again == stored)
            #expect(again.countedSize { types[$0] ?? nil }.total == size)
            for numbersAsStrings in [false, true] {
                let text = written { writer in
                    writer.record(
                        FieldRoundTripTests.envelope, fields: again, types: { types[$0] ?? nil },
                        numbersAsStrings: numbersAsStrings)
                }
                let reply = try WireReply(decoding: Array(#"{"records":[\#(text)]}"#.utf8))
                for field in request.operations[0].record.fields {
                    #expect(reply.records?[0].value(field.name) == field.value)
                }
            }
        }
    }

    @Test(arguments: 0..<20)
    func damagedBodiesGiveAnErrorOrAValueAndNothingElse(seed: Int) {
        var values = RandomValues(seed: UInt64(1000 + seed))
        for _ in 0..<400 {
            let request = ModifyRecordsRequest(
                operations: (0..<3).map { _ in WireOperation(.update, values.record()) }, zoneID: .defaultZone)
            var body = Array(written { $0.modifyRecords(request) }.utf8)
            values.damage(&body)
            let whole = serverError { () throws(ServerError) in
                let decoded = try ModifyRecordsRequest(decoding: body)
                // Accepted values must be storable and writable.
                for operation in decoded.operations {
                    var stored = StoredFields()
                    for field in operation.record.fields {
                        if let value = field.value { stored.set(field.name, value) }
                    }
                    _ = try StoredFields(parsing: stored.encoded())
                }
            }
            if let whole { #expect(whole.code == .badRequest) }
            for error in [
                serverError { () throws(ServerError) in try JSONValue(parsing: body) },
                serverError { () throws(ServerError) in try WireReply(decoding: body) },
                serverError { () throws(ServerError) in try ZoneChangesRequest(decoding: body) },
                serverError { () throws(ServerError) in try ModifyZonesRequest(decoding: body) },
            ] { if let error { #expect(error.code == .badRequest) } }
            // The stored form relies only on its bytes being UTF-8.
            if let error = serverError({ () throws(ServerError) in try StoredFields(parsing: body) }) {
                #expect(error.code == .internalError)
            }
        }
    }
}

/// Random values of every type, with many boundary values.
private struct RandomValues {
    private var generator: SeededGenerator

    init(seed: UInt64) { generator = SeededGenerator(seed: seed) }

    private mutating func below(_ bound: Int) -> Int { Int.random(in: 0..<bound, using: &generator) }

    private mutating func text() -> String {
        let pieces = ["a", "\"", "\\", "\n", "\u{1}", "ü", "🦊", "/", "\u{7F}", "\u{2028}", "word ", "\u{FFFD}", "'"]
        return (0..<below(30)).map { _ in pieces[below(pieces.count)] }.joined()
    }

    private mutating func int64() -> Int64 {
        switch below(4) {
        case 0: [Int64.min, .max, 0, -1, 1, 1 << 53, -(1 << 53) - 1][below(7)]
        default: Int64.random(in: .min ... .max, using: &generator) >> Int64(below(64))
        }
    }

    private mutating func double() -> Double {
        switch below(3) {
        case 0:
            [.leastNonzeroMagnitude, 1e308, -0.0, 0, .greatestFiniteMagnitude, .leastNormalMagnitude, 0.1][below(7)]
        case 1: Double(below(1_000_000)) / 100
        default:
            Double(bitPattern: generator.next() & ~(1 << 62))
        }
    }

    private mutating func name() -> String { "n" + String(below(1_000_000), radix: 36) + (below(4) == 0 ? "/ü" : "") }

    private mutating func value(_ base: FieldType.Base) -> FieldValue {
        switch base {
        case .string: return .string(text())
        case .int64: return .int64(int64())
        case .number: return below(2) == 0 ? .int64(int64()) : .double(double())
        case .double: return .double(double())
        case .timestamp: return .timestamp(int64())
        case .bytes: return .bytes((0..<below(20)).map { _ in UInt8.random(in: 0...255, using: &generator) })
        case .reference:
            let zone = below(2) == 0 ? ZoneID(zoneName: ZoneName(unchecked: name())) : nil
            return .reference(
                Reference(
                    recordName: RecordName(unchecked: name()), zoneID: zone, action: Reference.Action.allCases[below(3)]
                ))
        case .asset: return .asset(Asset(fileChecksum: text(), size: Int64(below(1 << 40))))
        case .location:
            var location = Location(latitude: Double(below(180)) - 90, longitude: Double(below(3600)) / 10 - 180)
            if below(2) == 0 { location.altitude = double() }
            if below(2) == 0 { location.timestamp = int64() }
            return .location(location)
        }
    }

    mutating func record() -> WireRecord {
        let fields = (0..<below(24)).map { index in
            let base = FieldType.Base.ofValues[below(8)]
            let isList = below(4) == 0
            let value = isList ? .list(base, (0..<below(5)).map { _ in self.value(base) }) : self.value(base)
            return WireField(
                name: "f\(index)", value: value,
                declaredType: FieldType(base, isList: isList, isEncrypted: below(5) == 0))
        }
        return WireRecord(recordName: RecordName(unchecked: name()), recordType: "Note", fields: fields)
    }

    /// Removes, overwrites, doubles or exchanges bytes.
    mutating func damage(_ body: inout [UInt8]) {
        for _ in 0...below(3) where !body.isEmpty {
            let index = below(body.count)
            switch below(5) {
            case 0: body.removeSubrange(index...)
            case 1: body[index] = UInt8.random(in: 0...255, using: &generator)
            case 2: body[index] = Array("{}[]\",:\\0eE.-+tn".utf8)[below(16)]
            case 3: body.insert(contentsOf: body[index..<min(index + 20, body.count)], at: index)
            default: body.remove(at: index)
            }
        }
    }
}
