public import Foundation

/// Properties that moved to the configuration.
extension CKOperation {
    /// The container of the operation.
    @available(macOS, introduced: 10.10, deprecated: 10.13, message: "Use CKOperation.Configuration instead")
    public var container: CKContainer? {
        get { configuration.container }
        set { configuration.container = newValue }
    }

    /// Whether cellular networks may be used. It has no effect on Linux.
    @available(macOS, introduced: 10.10, deprecated: 10.13, message: "Use CKOperation.Configuration instead")
    public var allowsCellularAccess: Bool {
        get { configuration.allowsCellularAccess }
        set { configuration.allowsCellularAccess = newValue }
    }

    /// Whether the operation is long-lived.
    @available(macOS, introduced: 10.12, deprecated: 10.13, message: "Use CKOperation.Configuration instead")
    public var isLongLived: Bool {
        get { configuration.isLongLived }
        set { configuration.isLongLived = newValue }
    }

    /// How long to wait for the answer to one request, in seconds.
    @available(macOS, introduced: 10.12, deprecated: 10.13, message: "Use CKOperation.Configuration instead")
    public var timeoutIntervalForRequest: TimeInterval {
        get { configuration.timeoutIntervalForRequest }
        set { configuration.timeoutIntervalForRequest = newValue }
    }

    /// How long the whole operation may take, in seconds.
    @available(macOS, introduced: 10.12, deprecated: 10.13, message: "Use CKOperation.Configuration instead")
    public var timeoutIntervalForResource: TimeInterval {
        get { configuration.timeoutIntervalForResource }
        set { configuration.timeoutIntervalForResource = newValue }
    }
}
