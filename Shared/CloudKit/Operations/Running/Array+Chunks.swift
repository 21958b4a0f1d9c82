extension Array {
    /// Returns the elements in parts of at most `count`, in order.
    func chunks(of count: Int) -> [[Element]] {
        stride(from: 0, to: self.count, by: count).map { Array(self[$0..<Swift.min($0 + count, self.count)]) }
    }
}

extension Array where Element: Hashable {
    /// The elements without repeats, in order.
    var unique: [Element] {
        var seen: Set<Element> = []
        return filter { seen.insert($0).inserted }
    }
}
