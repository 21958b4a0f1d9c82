/// The configuration and the group that `configuredWith(configuration:group:body:)` applies to operations.
struct OperationDefaults: @unchecked Sendable {
    var configuration: CKOperation.Configuration?
    var group: CKOperationGroup?
}
