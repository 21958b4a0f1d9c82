import DequeModule

/// Decides which lines may be sent: never two operations on one record name at a time, and those of one name in the
/// order of the file, since no order is promised between requests in flight.
///
/// A name is *held* from the moment one of its lines may be taken until that line is finished; later lines of the name
/// wait behind it. A value without a lock: one task owns it.
struct ImportGate: Sendable {
    private var ready: Deque<ImportLine> = []
    /// The lines behind the one that holds the name; the key is there exactly while the name is held.
    private var waiting: [String: Deque<ImportLine>] = [:]

    /// Lines that may be taken now.
    var readyCount: Int { ready.count }
    /// Lines that were offered and not yet taken.
    private(set) var heldCount = 0

    /// Adds the file's next line.
    mutating func offer(_ line: ImportLine) {
        heldCount += 1
        guard let name = line.recordName else { return ready.append(line) }
        if waiting[name] == nil {
            waiting[name] = []
            ready.append(line)
        } else {
            waiting[name]?.append(line)
        }
    }

    /// Takes up to `count` lines of together at most `maxBytes` (but at least one line), all of different names.
    mutating func take(_ count: Int, maxBytes: Int) -> [ImportLine] {
        var taken: [ImportLine] = []
        var bytes = 0
        while taken.count < count, let next = ready.first {
            bytes += next.bytes.count
            if bytes > maxBytes, !taken.isEmpty { break }
            taken.append(ready.removeFirst())
        }
        heldCount -= taken.count
        return taken
    }

    /// The lines have been answered, or given up: the next ones of their names may go.
    mutating func finish(_ lines: [ImportLine]) {
        for name in lines.compactMap(\.recordName) {
            guard var behind = waiting[name] else { continue }
            if let next = behind.popFirst() {
                waiting[name] = behind
                ready.append(next)
            } else {
                waiting[name] = nil
            }
        }
    }
}
