public import Foundation

/// The order of records by a field. Foundation's class on Linux has no keys. `NSSortDescriptor(key:ascending:)` returns an
/// instance of a subclass, which only an initializer in a protocol's extension can do.
public protocol NSSortDescriptorKeying {}

extension NSSortDescriptor: NSSortDescriptorKeying {}

extension NSSortDescriptorKeying where Self: NSSortDescriptor {
    /// Creates an order by a field.
    public init(key: String?, ascending: Bool) {
        guard let descriptor = KeyedSortDescriptor(key, ascending) as? Self else {
            preconditionFailure("\(Self.self) has initializers of its own")
        }
        self = descriptor
    }
}

extension NSSortDescriptor {
    /// The name of the field; nil if the order is by a key path or a closure.
    public var key: String? { (self as? any KeyedSorting)?.sortedKey }
}

/// A sort descriptor of this module, which knows the name of its field.
protocol KeyedSorting: NSSortDescriptor {
    /// The name of the field.
    var sortedKey: String? { get }
}
