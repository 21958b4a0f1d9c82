import DequeModule

/// Decides which lines may be sent: never two operations on one record at a time, and those of one record in the order of
/// the file, since no order is promised between requests in flight. Nor are deletions ever under way beside saves: to
/// delete a record may take others along that refer to it, and what came after it in the file must come after it here.
///
/// A record is *held* from the moment one of its lines may be taken until that line is finished; later lines of the
/// record wait behind it. A value without a lock: one task owns it.
struct ImportGate: Sendable {
    private var ready: [String: Deque<ImportLine>] = [:]
    /// The zones of which lines are ready, each once: they take turns.
    private var zones: Deque<String> = []
    /// The lines behind the one that holds the record; the key is there exactly while the record is held.
    private var waiting: [ImportLine.Key: Deque<ImportLine>] = [:]
    private var isDeleting = false
    private var takenCount = 0

    /// Lines that may be taken now.
    private(set) var readyCount = 0
    /// Lines that were offered and not yet taken.
    private(set) var heldCount = 0

    /// Whether the line may be offered beside those that are here and under way.
    func admits(_ line: ImportLine) -> Bool { heldCount + takenCount == 0 || line.isDelete == isDeleting }

    /// Adds the file's next line, which is admitted.
    mutating func offer(_ line: ImportLine) {
        isDeleting = line.isDelete
        heldCount += 1
        guard let key = line.key else { return makeReady(line) }
        if waiting[key] == nil {
            waiting[key] = []
            makeReady(line)
        } else {
            waiting[key]?.append(line)
        }
    }

    /// Takes up to `count` lines of together at most `maxBytes` (but at least one line), all of one zone and of different
    /// records.
    mutating func take(_ count: Int, maxBytes: Int) -> [ImportLine] {
        guard let zone = zones.popFirst() else { return [] }
        var lines = ready.removeValue(forKey: zone) ?? []
        var taken: [ImportLine] = []
        var bytes = 0
        while taken.count < count, let next = lines.first {
            bytes += next.bytes.count
            if bytes > maxBytes, !taken.isEmpty { break }
            taken.append(lines.removeFirst())
        }
        if !lines.isEmpty {
            ready[zone] = lines
            zones.append(zone)
        }
        readyCount -= taken.count
        heldCount -= taken.count
        takenCount += taken.count
        return taken
    }

    /// The line has been answered, or given up: the next one of its record may go.
    mutating func finish(_ line: ImportLine) {
        takenCount -= 1
        guard let key = line.key, var behind = waiting[key] else { return }
        if let next = behind.popFirst() {
            waiting[key] = behind
            makeReady(next)
        } else {
            waiting[key] = nil
        }
    }

    /// The line is to be sent later: gives back those that wait behind it, in order.
    mutating func withdraw(behind line: ImportLine) -> [ImportLine] {
        takenCount -= 1
        let behind = line.key.flatMap { waiting.removeValue(forKey: $0) } ?? []
        heldCount -= behind.count
        return Array(behind)
    }

    private mutating func makeReady(_ line: ImportLine) {
        readyCount += 1
        if ready[line.zone] == nil { zones.append(line.zone) }
        ready[line.zone, default: []].append(line)
    }
}
