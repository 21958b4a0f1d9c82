internal import CloudKitModel
public import Foundation

/// An operation of CloudKit. It runs on any `OperationQueue`, and calls the application's functions on a serial queue of
/// its own. The function that reports the end is called exactly once, also after ``cancel()``.
open class CKOperation: Operation, @unchecked Sendable {
    /// The identifier of an operation.
    public typealias ID = String
    /// How operations behave.
    public typealias Configuration = CKOperationConfiguration

    private enum Phase { case waiting, executing, finished }

    private struct State {
        var phase = Phase.waiting
        var task: Task<Void, Never>?
        var configuration = CKOperationConfiguration()
        var group: CKOperationGroup?
        var isTimedOut = false
    }

    private let state = Locked(State())
    /// The queue on which the application's functions are called.
    let callbacks: CallbackQueue
    /// Where the requests go; nil for the connection of the container.
    var endpoint: (@Sendable (DatabaseScope) -> WebDatabase)?

    /// The identifier of the operation.
    public let operationID: CKOperation.ID = UUID().uuidString

    /// The function that is called when a long-lived operation has started.
    open var longLivedOperationWasPersistedBlock: (() -> Void)?

    /// Creates an operation.
    public override init() {
        callbacks = CallbackQueue("\(Self.self)")
        super.init()
    }

    /// How the operation behaves. Nil stands for a configuration with the default values.
    open var configuration: CKOperation.Configuration! {
        get { state.withLock { $0.configuration } }
        set {
            let copy = (newValue ?? CKOperationConfiguration()).copied()
            state.withLock { $0.configuration = copy }
        }
    }

    /// The group to which the operation belongs.
    open var group: CKOperationGroup? {
        get { state.withLock { $0.group } }
        set { state.withLock { $0.group = newValue } }
    }

    /// The configuration with the values of the group for what it leaves open.
    var resolvedConfiguration: CKOperationConfiguration {
        configuration.resolved(with: group?.defaultConfiguration)
    }

    /// The importance of the operation, also for retries of lost connections.
    open override var qualityOfService: QualityOfService {
        get { configuration.qualityOfService }
        set {
            configuration.qualityOfService = newValue
            super.qualityOfService = newValue
        }
    }

    // MARK: - Operation

    /// True: `start()` returns before the operation has ended.
    open override var isAsynchronous: Bool { true }
    /// Whether the operation has started and not ended.
    open override var isExecuting: Bool { state.withLock { $0.phase == .executing } }
    /// Whether the operation has ended.
    open override var isFinished: Bool { state.withLock { $0.phase == .finished } }

    /// Starts the operation. Queues call this function.
    open override func start() {
        let begins = state.withLock { state in
            guard state.phase == .waiting else { return false }
            state.phase = .executing
            return true
        }
        guard begins else { return }
        willChangeValue(for: \.isExecuting)
        didChangeValue(for: \.isExecuting)
        let task = Task(priority: TaskPriority(resolvedConfiguration.qualityOfService)) { await execute() }
        state.withLock { $0.task = task }
        if isCancelled { task.cancel() }
    }

    /// Ends the operation early with ``CKError/Code/operationCancelled``. What has been sent to the server may have been
    /// executed.
    open override func cancel() {
        super.cancel()
        state.withLock { $0.task }?.cancel()
    }

    private func execute() async {
        let configuration = resolvedConfiguration
        let timer = deadline(of: configuration)
        var failure: CKError?
        do throws(CKError) {
            try checkCancellation()
            if configuration.isLongLived { callbacks.post { self.longLivedOperationWasPersistedBlock?() } }
            try await perform()
        } catch {
            failure = state.withLock { $0.isTimedOut } ? timeoutError : isCancelled ? .cancelled : error
        }
        timer?.cancel()
        let end = failure
        callbacks.post { self.finish(end) }
        await callbacks.drain()
        state.withLock { state in
            state.phase = .finished
            state.task = nil
        }
        willChangeValue(for: \.isExecuting)
        willChangeValue(for: \.isFinished)
        didChangeValue(for: \.isExecuting)
        didChangeValue(for: \.isFinished)
    }

    /// Cancels the work when the time for the whole operation is over.
    private func deadline(of configuration: CKOperationConfiguration) -> Task<Void, Never>? {
        guard let limit = configuration.resourceLimit else { return nil }
        return Task { [weak self] in
            guard (try? await Task.sleep(for: limit)) != nil, let self else { return }
            self.state.withLock { state in
                state.isTimedOut = true
                return state.task
            }?.cancel()
        }
    }

    private var timeoutError: CKError {
        CKError(.networkFailure, "The operation did not end within its timeoutIntervalForResource.")
    }

    // MARK: - What subclasses do

    /// Does the work, and posts the results of single items to ``callbacks``.
    ///
    /// - Throws: an error of the whole operation.
    func perform() async throws(CKError) {}

    /// Calls the functions that report the end, and then releases all functions, so that an operation that one of them
    /// uses is not kept for ever. Called once, on the queue of callbacks.
    ///
    /// - Parameter error: an error of the whole operation.
    func finish(_ error: CKError?) { longLivedOperationWasPersistedBlock = nil }

    /// Throws if the operation has been cancelled.
    func checkCancellation() throws(CKError) {
        if isCancelled || Task.isCancelled { throw .cancelled }
    }

    /// The container to which requests go that concern no database.
    var operationContainer: CKContainer { resolvedConfiguration.container ?? CKContainer.default() }

    /// Returns where the requests to a database go.
    func webDatabase(_ scope: DatabaseScope, of container: CKContainer) throws(CKError) -> WebDatabase {
        if let endpoint { return endpoint(scope) }
        let configuration = resolvedConfiguration
        return WebDatabase(
            scope, on: try container.webConnection(), patience: configuration.patience,
            timeout: .seconds(configuration.timeoutIntervalForRequest))
    }
}

extension CKError {
    /// The error of an operation that was cancelled.
    static var cancelled: CKError { CKError(.operationCancelled, "The operation was cancelled.") }
}

extension TaskPriority {
    fileprivate init(_ qualityOfService: QualityOfService) {
        switch qualityOfService {
        case .userInteractive, .userInitiated: self = .high
        case .utility: self = .low
        case .background: self = .background
        default: self = .medium
        }
    }
}
