import DequeModule

/// An acknowledgement to send: for one delivery, or for all deliveries up to it.
struct Acknowledgement: Sendable, Hashable {
    var tag: UInt64
    var multiple: Bool
}

/// Decides which acknowledgements to send for deliveries that finish in any order.
///
/// `multiple` is used only for the unbroken run of finished deliveries at the front, because it covers every tag up to
/// its own. Deliveries finished beyond a gap wait for the gap to close, because a single frame may then acknowledge all
/// of them. When they fill a quarter of the prefetch window they are acknowledged singly; otherwise one slow delivery
/// would stall the queue. The tracker holds no more entries than the prefetch window. Finding one takes constant time,
/// or logarithmic time once single acknowledgements have been sent.
struct AcknowledgementTracker {
    private struct Entry {
        var tag: UInt64
        var isFinished: Bool
    }

    /// The deliveries that the broker counts as unacknowledged, by ascending tag.
    private var entries: Deque<Entry> = []
    private var finishedCount = 0
    private let maxStragglers: Int

    /// - Parameter prefetch: the channel's prefetch window; 0 is unlimited.
    init(prefetch: UInt16) {
        maxStragglers = prefetch == 0 ? 1024 : max(1, Int(prefetch) / 4)
    }

    /// The number of unfinished deliveries.
    var unfinishedCount: Int {
        entries.count - finishedCount
    }

    /// Whether some finished deliveries have not been acknowledged to the broker yet.
    var hasFinished: Bool {
        finishedCount > 0
    }

    /// Records a delivery. Tags must ascend.
    mutating func deliver(_ tag: UInt64) {
        entries.append(Entry(tag: tag, isFinished: false))
    }

    /// Records that a delivery has been processed. Returns false for a tag that is not held or was finished before.
    @discardableResult
    mutating func finish(_ tag: UInt64) -> Bool {
        guard let index = index(of: tag), !entries[index].isFinished else {
            return false
        }
        entries[index].isFinished = true
        finishedCount += 1
        return true
    }

    /// Removes a delivery that is rejected instead of acknowledged. Returns false for a tag that is not held.
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
    /// - Parameter includingStragglers: whether to include all deliveries finished beyond a gap, however few.
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
