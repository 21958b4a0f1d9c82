extension CKContainer {
    /// What an application may ask the user for.
    @available(macOS, introduced: 10.10, deprecated: 14.0, message: "No longer supported")
    public struct ApplicationPermissions: OptionSet, Sendable {
        /// The bits of the options.
        public let rawValue: UInt

        /// Creates options from their bits.
        public init(rawValue: UInt) { self.rawValue = rawValue }

        /// That other users can find the user.
        public static let userDiscoverability = ApplicationPermissions(rawValue: 1 << 0)
    }

    /// Whether the user has granted a permission.
    @available(macOS, introduced: 10.10, deprecated: 14.0, message: "No longer supported")
    public enum ApplicationPermissionStatus: Int, Sendable {
        /// The user has not been asked.
        case initialState = 0
        /// The status could not be found out.
        case couldNotComplete = 1
        /// The user has refused.
        case denied = 2
        /// The user has agreed.
        case granted = 3
    }

    /// A function that receives the status of a permission.
    @available(macOS, introduced: 10.10, deprecated: 14.0, message: "No longer supported")
    public typealias ApplicationPermissionBlock =
        @Sendable (CKContainer.ApplicationPermissionStatus, (any Error)?) -> Void

    /// Finds out whether the user has granted a permission. The operator of a gateway decides whether users can find each
    /// other, so that a signed-in user counts as having agreed.
    @available(macOS, introduced: 10.10, deprecated: 14.0, message: "No longer supported")
    @preconcurrency
    public func status(
        forApplicationPermission applicationPermission: CKContainer.ApplicationPermissions,
        completionHandler block: @escaping CKContainer.ApplicationPermissionBlock
    ) {
        answer({ try await $0.permissionStatus() }) { block($0 ?? .couldNotComplete, $1) }
    }

    /// Finds out whether the user has granted a permission.
    @available(macOS, introduced: 10.10, deprecated: 14.0, message: "No longer supported")
    public func applicationPermissionStatus(
        for applicationPermission: CKContainer.ApplicationPermissions
    ) async throws -> CKContainer.ApplicationPermissionStatus {
        try await permissionStatus()
    }

    /// Asks the user for a permission; see ``status(forApplicationPermission:completionHandler:)``.
    @available(macOS, introduced: 10.10, deprecated: 14.0, message: "No longer supported")
    @preconcurrency
    public func requestApplicationPermission(
        _ applicationPermission: CKContainer.ApplicationPermissions,
        completionHandler block: @escaping CKContainer.ApplicationPermissionBlock
    ) {
        answer({ try await $0.permissionStatus() }) { block($0 ?? .couldNotComplete, $1) }
    }

    /// Asks the user for a permission.
    @available(macOS, introduced: 10.10, deprecated: 14.0, message: "No longer supported")
    public func requestApplicationPermission(
        _ applicationPermission: CKContainer.ApplicationPermissions
    ) async throws -> CKContainer.ApplicationPermissionStatus {
        try await permissionStatus()
    }

    private func permissionStatus() async throws -> CKContainer.ApplicationPermissionStatus {
        try await accountStatus() == .available ? .granted : .couldNotComplete
    }

    /// The former names of types.
    public enum Application {
        /// The former name of ``CKContainer/ApplicationPermissions``.
        @available(
            macOS, introduced: 10.10, deprecated: 10.10, message: "renamed to CKContainer.ApplicationPermissions"
        )
        public typealias Permissions = CKContainer.ApplicationPermissions
        /// The former name of ``CKContainer/ApplicationPermissionStatus``.
        @available(
            macOS, introduced: 10.10, deprecated: 10.10, message: "renamed to CKContainer.ApplicationPermissionStatus"
        )
        public typealias PermissionStatus = CKContainer.ApplicationPermissionStatus
        /// The former name of ``CKContainer/ApplicationPermissionBlock``.
        @available(
            macOS, introduced: 10.10, deprecated: 10.10, message: "renamed to CKContainer.ApplicationPermissionBlock"
        )
        public typealias PermissionBlock = CKContainer.ApplicationPermissionBlock
    }
}
/// The former name of ``CKContainer/ApplicationPermissionBlock``.
@available(macOS, introduced: 10.10, deprecated: 10.10, message: "renamed to CKContainer.ApplicationPermissionBlock")
public typealias CKContainer_Application_PermissionBlock = CKContainer.ApplicationPermissionBlock
/// The former name of ``CKContainer/ApplicationPermissionStatus``.
@available(macOS, introduced: 10.10, deprecated: 10.10, message: "renamed to CKContainer.ApplicationPermissionStatus")
public typealias CKContainer_Application_PermissionStatus = CKContainer.ApplicationPermissionStatus
/// The former name of ``CKContainer/ApplicationPermissions``.
@available(macOS, introduced: 10.10, deprecated: 10.10, message: "renamed to CKContainer.ApplicationPermissions")
public typealias CKContainer_Application_Permissions = CKContainer.ApplicationPermissions
