/// The canonical combining classes of the first and the last scalar of a folded form. The class of a scalar that is not
/// a mark is 0. If the form is empty, both are the class of the original scalar. Without decomposition, which only the
/// option `[d]` requests, marks are not reordered, and all classes are 0.
struct CombiningClasses: Hashable, Sendable {
    var first: UInt8 = 0
    var last: UInt8 = 0

    init() {}

    init(of scalar: Unicode.Scalar, foldedTo form: [Unicode.Scalar], _ options: TextOptions) {
        guard options.contains(.diacriticInsensitive) else { return }
        first = (form.first ?? scalar).properties.canonicalCombiningClass.rawValue
        last = (form.last ?? scalar).properties.canonicalCombiningClass.rawValue
    }
}

/// Builds a string from the folded forms of its scalars, with marks in canonical order.
struct FoldedText {
    private var bytes: [UInt8] = []
    /// The start of the current run of marks, or of the scalar that precedes the run.
    private var run = 0
    /// The combining class of the last scalar.
    private var lastClass: UInt8 = 0
    private var isRunInOrder = true

    init(capacity: Int) { bytes.reserveCapacity(capacity) }

    /// Appends a scalar that is not a mark and that folding does not change.
    mutating func append(_ scalar: Slice<UnsafeBufferPointer<UInt8>>) {
        endRun()
        for byte in scalar { bytes.append(byte) }
    }

    /// Appends the folded form of a scalar.
    mutating func append(_ form: ArraySlice<UInt8>, _ classes: CombiningClasses) {
        if classes.first == 0 {
            // Marks are not reordered across this scalar, even if folding removes it.
            endRun()
            run = bytes.count
        } else if form.isEmpty {
            return
        } else if lastClass == 0 {
            run = bytes.count
        } else if classes.first < lastClass {
            isRunInOrder = false
        }
        for byte in form { bytes.append(byte) }
        lastClass = form.isEmpty ? 0 : classes.last
    }

    /// Returns the whole string.
    mutating func finish() -> String {
        endRun()
        return String(decoding: bytes, as: UTF8.self)
    }

    private mutating func endRun() {
        lastClass = 0
        guard !isRunInOrder else { return }
        isRunInOrder = true
        let scalars = String(decoding: bytes[run...], as: UTF8.self).unicodeScalars.enumerated().sorted {
            ($0.element.properties.canonicalCombiningClass.rawValue, $0.offset)
                < ($1.element.properties.canonicalCombiningClass.rawValue, $1.offset)
        }
        bytes.removeSubrange(run...)
        for (_, scalar) in scalars { bytes += scalar.utf8 }
    }
}
