public import Foundation

/// How operations behave: `CKOperation.Configuration`. What is not set has a default value, or the value that the
/// operation's group sets.
open class CKOperationConfiguration: NSObject, NSCopying, @unchecked Sendable {
    private struct Values {
        var container: CKContainer?
        var qualityOfService: QualityOfService?
        var allowsCellularAccess: Bool?
        var isLongLived: Bool?
        var timeoutIntervalForRequest: TimeInterval?
        var timeoutIntervalForResource: TimeInterval?
    }

    private let values = Locked(Values())

    /// Creates a configuration with the default values.
    public override init() { super.init() }

    /// The container of the operation; nil for the default container.
    open var container: CKContainer? {
        get { values.copy.container }
        set { values.withLock { $0.container = newValue } }
    }

    /// The importance of the operation. An operation of the quality `utility` or `background` waits for a server that
    /// cannot be reached; all others fail.
    open var qualityOfService: QualityOfService {
        get { values.copy.qualityOfService ?? .default }
        set { values.withLock { $0.qualityOfService = newValue } }
    }

    /// Whether cellular networks may be used. It has no effect on Linux.
    open var allowsCellularAccess: Bool {
        get { values.copy.allowsCellularAccess ?? true }
        set { values.withLock { $0.allowsCellularAccess = newValue } }
    }

    /// Whether the container lists the operation until it has ended. On Linux, it does not survive its process.
    open var isLongLived: Bool {
        get { values.copy.isLongLived ?? false }
        set { values.withLock { $0.isLongLived = newValue } }
    }

    /// How long to wait for the answer to one request, in seconds.
    open var timeoutIntervalForRequest: TimeInterval {
        get { values.copy.timeoutIntervalForRequest ?? 60 }
        set { values.withLock { $0.timeoutIntervalForRequest = newValue } }
    }

    /// How long the whole operation may take, in seconds; -1 for any time.
    open var timeoutIntervalForResource: TimeInterval {
        get { values.copy.timeoutIntervalForResource ?? defaultResourceTimeout }
        set { values.withLock { $0.timeoutIntervalForResource = newValue } }
    }

    private static let week: TimeInterval = 7 * 24 * 3600

    private var defaultResourceTimeout: TimeInterval {
        switch qualityOfService {
        case .userInteractive, .userInitiated: -1
        default: Self.week
        }
    }

    /// Returns a copy.
    open func copy(with zone: NSZone? = nil) -> Any { copied() }

    /// Returns a copy.
    func copied() -> CKOperationConfiguration { resolved(with: nil) }

    /// Returns a copy in which the values of the group replace those that are not set.
    func resolved(with group: CKOperationConfiguration?) -> CKOperationConfiguration {
        let own = values.copy
        let defaults = group?.values.copy ?? Values()
        let copy = CKOperationConfiguration()
        copy.values.withLock { values in
            values.container = own.container ?? defaults.container
            values.qualityOfService = own.qualityOfService ?? defaults.qualityOfService
            values.allowsCellularAccess = own.allowsCellularAccess ?? defaults.allowsCellularAccess
            values.isLongLived = own.isLongLived ?? defaults.isLongLived
            values.timeoutIntervalForRequest = own.timeoutIntervalForRequest ?? defaults.timeoutIntervalForRequest
            values.timeoutIntervalForResource = own.timeoutIntervalForResource ?? defaults.timeoutIntervalForResource
        }
        return copy
    }
}

extension CKOperationConfiguration {
    /// How long the whole operation may take; nil for any time.
    var resourceLimit: Duration? {
        let limit = timeoutIntervalForResource
        return limit > 0 && limit < Self.week ? .seconds(limit) : nil
    }

    /// Which errors a request survives.
    var patience: RetryPolicy.Patience {
        switch qualityOfService {
        case .utility, .background: .network(resourceLimit ?? .seconds(Self.week))
        default: .brief
        }
    }
}
