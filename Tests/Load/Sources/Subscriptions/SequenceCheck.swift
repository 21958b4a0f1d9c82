/// Whether the notifications of one zone incarnation come whole and in order: each begins where the last one ended.
struct SequenceCheck: Sendable {
    /// The judgement of one notification.
    enum Verdict: Equatable, Sendable {
        /// It is news. If it left something out, that is missing until it comes late.
        case news
        /// All of it was heard before.
        case repeated
        /// It is news, but came after later changes, or together with some heard before.
        case outOfOrder
    }

    /// The number of the first change that has to come; nil: that is the first one heard.
    private var first: Int64?
    /// The number of the last change heard.
    private var last: Int64 = 0
    /// What was left out, in order.
    private var gaps: [ClosedRange<Int64>] = []

    /// A check of changes from the first one on, or, for a listener who came later, from the first one heard.
    init(fromFirstHeard: Bool = false) { first = fromFirstHeard ? nil : 1 }

    /// How many changes were left out and have not come since.
    var missing: Int { gaps.reduce(0) { $0 + ($1.upperBound < first ?? 1 ? 0 : $1.count) } }

    /// Notes a notification of the changes `range`.
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
    /// What is left of the range without `other`.
    fileprivate func without(_ other: ClosedRange<Int64>) -> [ClosedRange<Int64>] {
        guard overlaps(other) else { return [self] }
        var rest: [ClosedRange<Int64>] = []
        if lowerBound < other.lowerBound { rest.append(lowerBound...(other.lowerBound - 1)) }
        if upperBound > other.upperBound { rest.append((other.upperBound + 1)...upperBound) }
        return rest
    }
}
