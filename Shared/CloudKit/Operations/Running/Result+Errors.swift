extension Result {
    /// The error; nil for success.
    var error: Failure? { if case .failure(let error) = self { error } else { nil } }
}

extension Result where Success == Void, Failure == any Error {
    /// Creates the result of an operation that failed with the error, or succeeded if it is nil.
    init(failure error: CKError?) { self = error.map { .failure($0) } ?? .success(()) }
}

extension Result where Failure == CKError {
    /// The same result for the functions of applications.
    var erased: Result<Success, any Error> { mapError { $0 } }
}
