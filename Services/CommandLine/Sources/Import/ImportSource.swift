import CommandLineSession

/// Turns the lines of a file into what the import does with them; empty lines are passed over.
struct ImportSource: Sendable {
    /// What one line means.
    enum Item {
        /// An operation on a record.
        case line(ImportLine)
        /// A zone to be made before the lines that follow.
        case zone(String)
        /// A line that is nothing of the kind.
        case fault(ImportLine, RequestFailure)
    }

    private let zone: String?
    private let isNumbered: Bool
    private var number = 0
    private var returned: ImportLine?

    /// A source at the beginning of a file.
    ///
    /// - Parameters:
    ///   - zone: where all records go whatever their lines say; then no zones are made.
    ///   - isNumbered: whether the file is one of ``DeferredLines``, each with its number.
    init(zone: String?, isNumbered: Bool = false) {
        self.zone = zone
        self.isNumbered = isNumbered
    }

    /// What comes next; nil after the last line.
    ///
    /// - Throws: a fault of the file.
    mutating func next(from lines: inout LineReader) async throws(LineReader.Fault) -> Item? {
        if let line = returned {
            returned = nil
            return .line(line)
        }
        while var bytes = try await lines.next() {
            number += 1
            if isNumbered { number = DeferredLines.takeNumber(from: &bytes) }
            guard bytes.contains(where: { $0 > 0x20 }) else { continue }
            do throws(RequestFailure) {
                switch try ImportLine.content(of: bytes, number: number, zone: zone) {
                case .record(let line): return .line(line)
                case .zone(let name) where zone == nil: return .zone(name)
                case .zone: continue
                }
            } catch {
                return .fault(ImportLine(number: number, bytes: bytes, zone: zone ?? ""), error)
            }
        }
        return nil
    }

    /// Takes a line back, which then comes next again.
    mutating func putBack(_ line: ImportLine) { returned = line }
}
