import CommandLineSession

/// Parses the lines of a file. Empty lines are skipped.
struct ImportSource: Sendable {
    /// The meaning of a line.
    enum Item {
        /// An operation on a record.
        case line(ImportLine)
        /// A zone that must be created before the following lines.
        case zone(String)
        /// An invalid line.
        case fault(ImportLine, RequestFailure)
    }

    private let zone: String?
    private let isNumbered: Bool
    private var number = 0
    private var returned: ImportLine?

    /// Creates a source at the beginning of a file.
    ///
    /// - Parameters:
    ///   - zone: the zone for all records. If it is nil, the zones in the lines are used; otherwise, they are ignored,
    ///     and no zones are created.
    ///   - isNumbered: whether the file was written by ``DeferredLines``, so that each line begins with its number.
    init(zone: String?, isNumbered: Bool = false) {
        self.zone = zone
        self.isNumbered = isNumbered
    }

    /// Returns the next line; nil after the last line.
    ///
    /// - Throws: `LineReader.Fault`.
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

    /// Puts a line back, so that it is returned next.
    mutating func putBack(_ line: ImportLine) { returned = line }
}
