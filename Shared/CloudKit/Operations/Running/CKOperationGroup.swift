public import Foundation

/// Operations that belong together, such as those of one action of the user.
open class CKOperationGroup: NSObject, NSSecureCoding, @unchecked Sendable {
    /// The approximate amount of data that a group transfers.
    public enum TransferSize: Int, Sendable {
        /// Not known.
        case unknown
        /// Up to a megabyte.
        case kilobytes
        /// Up to ten megabytes.
        case megabytes
        /// Up to a hundred megabytes.
        case tensOfMegabytes
        /// Up to a gigabyte.
        case hundredsOfMegabytes
        /// Up to ten gigabytes.
        case gigabytes
        /// Up to a hundred gigabytes.
        case tensOfGigabytes
        /// More.
        case hundredsOfGigabytes
    }

    private struct Values {
        var configuration = CKOperationConfiguration()
        var name: String?
        var quantity = 0
        var expectedSendSize = TransferSize.unknown
        var expectedReceiveSize = TransferSize.unknown
    }

    private let values = Locked(Values())

    /// The identifier of the group.
    public let operationGroupID: String

    /// Creates a group.
    public override init() {
        operationGroupID = UUID().uuidString
        super.init()
    }

    /// Creates a group from an archive.
    public required init(coder aDecoder: NSCoder) {
        operationGroupID =
            aDecoder.optionalObject(of: NSString.self, forKey: ArchiveKey.id) as String? ?? UUID().uuidString
        super.init()
        values.withLock { values in
            values.name = aDecoder.optionalObject(of: NSString.self, forKey: ArchiveKey.name) as String?
            values.quantity = aDecoder.decodeInteger(forKey: ArchiveKey.quantity)
            values.expectedSendSize =
                TransferSize(rawValue: aDecoder.decodeInteger(forKey: ArchiveKey.sendSize)) ?? .unknown
            values.expectedReceiveSize =
                TransferSize(rawValue: aDecoder.decodeInteger(forKey: ArchiveKey.receiveSize)) ?? .unknown
        }
    }

    private enum ArchiveKey {
        static let id = "OperationGroupID"
        static let name = "Name"
        static let quantity = "Quantity"
        static let sendSize = "ExpectedSendSize"
        static let receiveSize = "ExpectedReceiveSize"
    }

    /// Whether the class supports secure coding.
    public static var supportsSecureCoding: Bool { true }

    /// Encodes the group without its default configuration.
    open func encode(with coder: NSCoder) {
        let values = values.copy
        coder.encode(operationGroupID as NSString, forKey: ArchiveKey.id)
        if let name = values.name { coder.encode(name as NSString, forKey: ArchiveKey.name) }
        coder.encode(values.quantity, forKey: ArchiveKey.quantity)
        coder.encode(values.expectedSendSize.rawValue, forKey: ArchiveKey.sendSize)
        coder.encode(values.expectedReceiveSize.rawValue, forKey: ArchiveKey.receiveSize)
    }

    /// The configuration for what the operations of the group leave open. Nil stands for the default values.
    open var defaultConfiguration: CKOperation.Configuration! {
        get { values.withLock { $0.configuration } }
        set {
            let copy = (newValue ?? CKOperationConfiguration()).copied()
            values.withLock { $0.configuration = copy }
        }
    }

    /// A name for people.
    open var name: String? {
        get { values.copy.name }
        set { values.withLock { $0.name = newValue } }
    }

    /// A number that the application chooses, such as how many items the group concerns.
    open var quantity: Int {
        get { values.copy.quantity }
        set { values.withLock { $0.quantity = newValue } }
    }

    /// The approximate amount of data that the operations send.
    open var expectedSendSize: CKOperationGroup.TransferSize {
        get { values.copy.expectedSendSize }
        set { values.withLock { $0.expectedSendSize = newValue } }
    }

    /// The approximate amount of data that the operations receive.
    open var expectedReceiveSize: CKOperationGroup.TransferSize {
        get { values.copy.expectedReceiveSize }
        set { values.withLock { $0.expectedReceiveSize = newValue } }
    }
}
