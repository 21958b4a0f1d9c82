import DequeModule

/// An acknowledgement of one delivery, or of all deliveries up to and including that one.
struct Acknowledgement: Sendable, Hashable {
    var tag: UInt64
    var multiple: Bool
}

/// Decides which acknowledgements to send for deliveries that finish in any order.
///
/// `multiple` is used only for the unbroken run of finished deliveries at the front, because such an acknowledgement
/// covers every lower tag. Stragglers, which are finished deliveries behind an unfinished delivery, wait until that
/// delivery finishes, because a single frame can then acknowledge all of them. When stragglers fill a quarter of the
/// prefetch window, they are acknowledged one by one; otherwise one slow delivery would stall the queue. The number of
/// entries never exceeds the prefetch window. Finding an entry takes constant time, or logarithmic time after
/// stragglers or rejected deliveries have been removed.
struct AcknowledgementTracker {
    private struct Entry {
        var tag: UInt64
        var isFinished: Bool
    }

    /// The deliveries that the broker counts as unacknowledged, in ascending order of their tags.
    private var entries: Deque<Entry> = []
    private var finishedCount = 0
    private let maxStragglers: Int

    /// - Parameter prefetch: the channel's prefetch window; 0 means unlimited.
    init(prefetch: UInt16) {
        maxStragglers = prefetch == 0 ? 1024 : max(1, Int(prefetch) / 4)
    }

    /// The number of unfinished deliveries.
    var unfinishedCount: Int {
        entries.count - finishedCount
    }

    /// Whether any finished deliveries have not yet been acknowledged to the broker.
    var hasFinished: Bool {
        finishedCount > 0
    }

    /// Records a delivery. Tags must be recorded in ascending order.
    mutating func deliver(_ tag: UInt64) {
        entries.append(Entry(tag: tag, isFinished: false))
    }

    /// Records that a delivery has been processed. Returns false if the delivery is unknown or has already been
    /// finished.
    @discardableResult
    mutating func finish(_ tag: UInt64) -> Bool {
        guard let index = index(of: tag), !entries[index].isFinished else {
            return false
        }
        entries[index].isFinished = true
        finishedCount += 1
        return true
    }

    /// Removes a delivery that is rejected instead of acknowledged. Returns false if the delivery is unknown or has
    /// already been finished.
    @discardableResult
    mutating func remove(_ tag: UInt64) -> Bool {
        guard let index = index(of: tag), !entries[index].isFinished else {
            return false
        }
        entries.remove(at: index)
        return true
    }

    /// Returns the acknowledgements to send now.
    ///
    /// - Parameter includingStragglers: whether to include the stragglers even if there are only a few.
    mutating func flush(includingStragglers: Bool = false) -> [Acknowledgement] {
        guard finishedCount > 0 else {
            return []
        }
        var acknowledgements: [Acknowledgement] = []
        var run = 0
        while let first = entries.first, first.isFinished {
            entries.removeFirst()
            run += 1
            acknowledgements = [Acknowledgement(tag: first.tag, multiple: run > 1)]
        }
        finishedCount -= run
        if finishedCount >= maxStragglers || (includingStragglers && finishedCount > 0) {
            for entry in entries where entry.isFinished {
                acknowledgements.append(Acknowledgement(tag: entry.tag, multiple: false))
            }
            entries.removeAll(where: \.isFinished)
            finishedCount = 0
        }
        return acknowledgements
    }

    private func index(of tag: UInt64) -> Int? {
        guard let first = entries.first, tag >= first.tag else {
            return nil
        }
        // Tags are consecutive until stragglers or rejected deliveries have been removed.
        let offset = tag - first.tag
        if offset < UInt64(entries.count), entries[Int(offset)].tag == tag {
            return Int(offset)
        }
        var low = 0
        var high = entries.count
        while low < high {
            let middle = (low + high) / 2
            if entries[middle].tag < tag {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low < entries.count && entries[low].tag == tag ? low : nil
    }
}
