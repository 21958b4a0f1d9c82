import Foundation

@testable import CloudKit

extension NSPredicate {
    /// The predicate as Foundation prints it on Apple's systems.
    var text: String { PredicateText.printed(self) }
}
