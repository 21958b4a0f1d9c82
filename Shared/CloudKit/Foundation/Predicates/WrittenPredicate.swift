internal import Foundation

/// A predicate of this module, which knows its text.
protocol WrittenPredicate: NSPredicate {
    /// Writes the predicate.
    ///
    /// - Throws: A fault if the predicate cannot be written in the form that `text` asks for.
    func write(to text: inout PredicateText) throws(PredicateFault)
}

/// The predicate for a format that cannot be used.
final class FaultyPredicate: NSPredicate, WrittenPredicate {
    private let fault: PredicateFault

    init(_ fault: PredicateFault) {
        self.fault = fault
        super.init(value: false)
    }

    override var predicateFormat: String { fault.format }
    override var description: String { fault.format }
    override var hash: Int { fault.format.hashValue }

    override func isEqual(_ object: Any?) -> Bool { (object as? FaultyPredicate)?.fault.format == fault.format }

    override func copy(with zone: NSZone? = nil) -> Any { self }

    func write(to text: inout PredicateText) throws(PredicateFault) { throw fault }
}

/// The compound predicate that a format describes.
final class JoinedPredicate: NSCompoundPredicate {
    override var predicateFormat: String { PredicateText.printed(self) }
    override var description: String { predicateFormat }
    override var hash: Int { predicateFormat.hashValue }

    override func isEqual(_ object: Any?) -> Bool {
        (object as? NSCompoundPredicate).map(PredicateText.printed) == predicateFormat
    }

    override func copy(with zone: NSZone? = nil) -> Any { self }
}
