/// Checks that the notifications of a zone incarnation are complete and in order, so that each begins where the
/// previous one ended.
struct SequenceCheck: Sendable {
    /// The verdict on a notification.
    enum Verdict: Equatable, Sendable {
        /// It is new. Missing changes before it may still arrive.
        case news
        /// All its changes were known.
        case repeated
        /// It contains new changes, but arrived after later changes or also contains known ones.
        case outOfOrder
    }

    /// The number of the first expected change; nil until the first change arrives, if that is the first expected one.
    private var first: Int64?
    /// The number of the last known change.
    private var last: Int64 = 0
    /// The ranges of missing changes, in order.
    private var gaps: [ClosedRange<Int64>] = []

    /// Creates a check of all changes. With `fromFirstHeard`, changes before the first one that arrives are not
    /// expected.
    init(fromFirstHeard: Bool = false) { first = fromFirstHeard ? nil : 1 }

    /// The number of missing changes.
    var missing: Int { gaps.reduce(0) { $0 + ($1.upperBound < first ?? 1 ? 0 : $1.count) } }

    /// Records a notification of the changes in `range`.
    mutating func note(_ range: ClosedRange<Int64>) -> Verdict {
        first = first ?? range.lowerBound
        if range.lowerBound > last {
            if range.lowerBound > last + 1 { gaps.append((last + 1)...(range.lowerBound - 1)) }
            last = range.upperBound
            return .news
        }
        let rest = gaps.flatMap { $0.without(range) }
        guard range.upperBound > last || rest != gaps else { return .repeated }
        gaps = rest
        last = max(last, range.upperBound)
        return .outOfOrder
    }
}

extension ClosedRange<Int64> {
    /// Returns the parts of the range outside `other`.
    fileprivate func without(_ other: ClosedRange<Int64>) -> [ClosedRange<Int64>] {
        guard overlaps(other) else { return [self] }
        var rest: [ClosedRange<Int64>] = []
        if lowerBound < other.lowerBound { rest.append(lowerBound...(other.lowerBound - 1)) }
        if upperBound > other.upperBound { rest.append((other.upperBound + 1)...upperBound) }
        return rest
    }
}
