import DequeModule

/// An acknowledgement to send: of one delivery, or of all up to it.
struct Acknowledgement: Sendable, Hashable {
    var tag: UInt64
    var multiple: Bool
}

/// Decides which acknowledgements to send for deliveries that are finished in any order.
///
/// `multiple` is used only for the unbroken run of finished deliveries at the front, since it covers everything below
/// its tag. Deliveries finished beyond a gap wait for the gap to close, because one frame may then do for all; but when
/// they fill a quarter of the prefetch window they are acknowledged singly, or a single slow delivery would stop the
/// queue. Holds no more entries than the prefetch window; finding one is constant time, or logarithmic once singles
/// have been sent.
struct AcknowledgementTracker {
    private struct Entry {
        var tag: UInt64
        var isFinished: Bool
    }

    /// Deliveries that the broker counts as unacknowledged, by ascending tag.
    private var entries: Deque<Entry> = []
    private var finishedCount = 0
    private let maxStragglers: Int

    /// - Parameter prefetch: the channel's window; 0 is unlimited.
    init(prefetch: UInt16) {
        maxStragglers = prefetch == 0 ? 1024 : max(1, Int(prefetch) / 4)
    }

    /// How many deliveries have not been finished.
    var unfinishedCount: Int {
        entries.count - finishedCount
    }

    /// Whether some finished deliveries have not been acknowledged to the broker yet.
    var hasFinished: Bool {
        finishedCount > 0
    }

    /// Notes a delivery; tags ascend.
    mutating func deliver(_ tag: UInt64) {
        entries.append(Entry(tag: tag, isFinished: false))
    }

    /// Notes that the work of a delivery is done. Returns false for a tag that is not held, or finished before.
    @discardableResult
    mutating func finish(_ tag: UInt64) -> Bool {
        guard let index = index(of: tag), !entries[index].isFinished else {
            return false
        }
        entries[index].isFinished = true
        finishedCount += 1
        return true
    }

    /// Takes out a delivery that is answered in another way (rejected). Returns false for a tag that is not held.
    @discardableResult
    mutating func remove(_ tag: UInt64) -> Bool {
        guard let index = index(of: tag), !entries[index].isFinished else {
            return false
        }
        entries.remove(at: index)
        return true
    }

    /// The acknowledgements to send now.
    ///
    /// - Parameter includingStragglers: also those beyond a gap, however few.
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
        // Tags follow each other without gaps until stragglers or rejections have been taken out.
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
