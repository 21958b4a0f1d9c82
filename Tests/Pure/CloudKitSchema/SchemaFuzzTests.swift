import CloudKitSchema
import Testing

struct SchemaFuzzTests {
    /// Parses `bytes`. An error must point into the text and be printable.
    private func read(_ bytes: [UInt8]) throws {
        let text = String(decoding: bytes, as: UTF8.self)
        let schema: SchemaDefinition
        do {
            schema = try SchemaDefinition(parsing: text)
        } catch {
            return check(error, in: text)
        }
        let again = try SchemaDefinition(parsing: schema.formatted())
        #expect(again == schema)
    }

    private func check(_ error: SchemaError, in text: String) {
        var lines = [0]
        for character in text {
            if ["\n", "\r\n", "\r"].contains(character) { lines.append(0) } else { lines[lines.count - 1] += 1 }
        }
        #expect(lines.indices.contains(error.line - 1))
        #expect((1...lines[error.line - 1] + 1).contains(error.column))
        #expect(error.message.unicodeScalars.allSatisfy { $0.properties.generalCategory != .control })
    }

    @Test(arguments: 0..<100) func damagedTextsAreReadOrRefusedAtAPlaceWithin(seed: Int) throws {
        var random = RandomSchemas(seed: seed)
        let text = Array(random.schema().formatted().utf8)
        for _ in 0..<5 {
            var damaged = text
            random.damage(&damaged)
            try read(damaged)
        }
    }

    @Test(arguments: 0..<20) func anyBytesAreRefusedAtAPlaceWithin(seed: Int) throws {
        var random = RandomSchemas(seed: seed)
        for _ in 0..<50 {
            try read(random.bytes())
            try read(Array("DEFINE SCHEMA\r\n".utf8) + random.bytes())
        }
    }

    @Test func aTextThatIsTooLongOrTooManyIsRefused() {
        let long = "DEFINE SCHEMA" + String(repeating: " ", count: 1 << 20)
        #expect(throws: SchemaError.self) { try SchemaDefinition(parsing: long) }
        let types = (0...1000).map { "RECORD TYPE T\($0) ();\n" }.joined()
        let tooManyTypes = #expect(throws: SchemaError.self) {
            try SchemaDefinition(parsing: "DEFINE SCHEMA\n\(types)")
        }
        #expect(tooManyTypes?.line == 1002)
        let fields = (0...1000).map { "f\($0) STRING" }.joined(separator: ",\n")
        let tooManyFields = #expect(throws: SchemaError.self) {
            try SchemaDefinition(parsing: "DEFINE SCHEMA RECORD TYPE N (\n\(fields));")
        }
        #expect(tooManyFields?.line == 1002)
    }
}
