/// The folded forms of the scalars of the basic multilingual plane. With the table, folding uses neither Unicode
/// properties nor Foundation's normalization, which takes time quadratic in the length of the text.
struct FoldingTable: Sendable {
    /// The entry of a scalar that is a mark or that folding changes.
    private struct Entry {
        /// The range of the folded form in ``bytes``.
        var range: Range<Int>
        var classes: CombiningClasses
    }

    /// A scalar whose folded form is one other scalar.
    struct Change {
        var value: UInt32
        var folded: UInt32
    }

    private static let caseTable = FoldingTable([.caseInsensitive])
    private static let diacriticTable = FoldingTable([.diacriticInsensitive])
    private static let bothTable = FoldingTable([.caseInsensitive, .diacriticInsensitive])

    /// The scalars whose folded form is one other scalar, in ascending order.
    let changes: [Change]
    private let options: TextOptions
    /// The index of each scalar's entry; 0 if the scalar has no entry.
    private let places: [UInt16]
    private let entries: [Entry]
    private let bytes: [UInt8]

    /// Returns the table for `options`; nil if nothing is folded. Each table is created on first use. It takes about
    /// ten milliseconds to create and half a megabyte of memory.
    static func table(_ options: TextOptions) -> FoldingTable? {
        switch (options.contains(.caseInsensitive), options.contains(.diacriticInsensitive)) {
        case (true, true): bothTable
        case (true, false): caseTable
        case (false, true): diacriticTable
        case (false, false): nil
        }
    }

    private init(_ options: TextOptions) {
        var changes: [Change] = []
        var places = [UInt16](repeating: 0, count: 0x1_0000)
        var entries = [Entry(range: 0..<0, classes: CombiningClasses())]
        var bytes: [UInt8] = []
        for row in 0..<UInt32(0x100) {
            let scalars = (row << 8..<(row + 1) << 8).compactMap(Unicode.Scalar.init)
            for (scalar, form) in zip(scalars, Self.fold(scalars, options)) {
                let classes = CombiningClasses(of: scalar, foldedTo: form, options)
                if form == [scalar], classes.first == 0 { continue }
                if form.count == 1, let folded = form.first, folded != scalar {
                    changes.append(Change(value: scalar.value, folded: folded.value))
                }
                places[Int(scalar.value)] = UInt16(entries.count)
                let start = bytes.count
                for scalar in form { bytes += scalar.utf8 }
                entries.append(Entry(range: start..<bytes.count, classes: classes))
            }
        }
        self.changes = changes
        self.options = options
        self.places = places
        self.entries = entries
        self.bytes = bytes
    }

    /// Returns the folded form of each of `scalars`. Folds all of them as one string, which is much faster than folding
    /// each of them separately.
    private static func fold(_ scalars: [Unicode.Scalar], _ options: TextOptions) -> [[Unicode.Scalar]] {
        let separator: Unicode.Scalar = "\u{F0000}"
        let text = String(scalars: scalars.flatMap { [$0, separator] })
        return Array(TextFolding.foldAsWritten(text, options).unicodeScalars)
            .split(separator: separator, omittingEmptySubsequences: false).map(Array.init)
    }

    /// Returns the folded form of UTF-8 text.
    func fold(_ text: UnsafeBufferPointer<UInt8>) -> String {
        var folded = FoldedText(capacity: text.count + text.count / 2)
        var index = 0
        while index < text.count {
            let start = index
            let value = text.scalarValue(at: &index)
            if value < places.count {
                let place = Int(places[Int(value)])
                if place == 0 {
                    folded.append(text[start..<index])
                } else {
                    folded.append(bytes[entries[place].range], entries[place].classes)
                }
            } else if Self.isNeverFolded(value) {
                folded.append(text[start..<index])
            } else if let scalar = Unicode.Scalar(value) {
                let form = Array(TextFolding.foldAsWritten(String(scalar), options).unicodeScalars)
                let classes = CombiningClasses(of: scalar, foldedTo: form, options)
                folded.append(Array(String(scalars: form).utf8)[...], classes)
            }
        }
        return folded.finish()
    }

    /// Returns whether a scalar is a pictograph or a rare ideograph. These have no case and no decomposition, and are
    /// not marks.
    private static func isNeverFolded(_ value: UInt32) -> Bool {
        (0x1F000..<0x1FC00).contains(value) || (0x20000..<0x2F800).contains(value)
    }
}
