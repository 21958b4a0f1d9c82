import DequeModule

/// Determines which lines can be sent. Because concurrent requests can be executed in any order, at most one operation
/// on a record is in progress at a time, and the operations on a record keep the order of the file. Deletions and saves
/// are never in progress at the same time, because the deletion of a record can also delete records that refer to it. A
/// deletion must therefore be finished before later lines are sent.
///
/// A record is *held* from the time when one of its lines can be taken until that line is finished; later lines of the
/// record wait. The gate needs no lock, because only one task uses it.
struct ImportGate: Sendable {
    private var ready: [String: Deque<ImportLine>] = [:]
    /// The zones that have ready lines, without duplicates, in the order in which lines are taken from them.
    private var zones: Deque<String> = []
    /// The waiting lines of each record that is held.
    private var waiting: [ImportLine.Key: Deque<ImportLine>] = [:]
    private var isDeleting = false
    private var takenCount = 0

    /// The number of lines that can be taken.
    private(set) var readyCount = 0
    /// The number of lines that were added but have not yet been taken.
    private(set) var heldCount = 0

    /// Returns whether the line can be added to the lines that are waiting or in progress.
    func admits(_ line: ImportLine) -> Bool { heldCount + takenCount == 0 || line.isDelete == isDeleting }

    /// Adds the file's next line, which ``admits(_:)`` must have accepted.
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

    /// Takes at most `count` lines with at most `maxBytes` in total, but at least one line. The lines belong to one
    /// zone and to different records.
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

    /// Finishes a line that was answered or abandoned, so that the next line of its record can be taken.
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

    /// Removes a taken line that is being deferred, along with the lines that wait for it. Returns the waiting lines in
    /// order.
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
