internal import CloudKitModel

/// An error that refuses a caller, with the address of the sign-in page if signing in would help.
struct Refusal: Error {
    /// The error in the response.
    var error: ServerError
    /// The address of the sign-in page; only with `AUTHENTICATION_REQUIRED`.
    var redirectURL: String?

    /// Creates a refusal.
    init(_ error: ServerError, redirectURL: String? = nil) {
        self.error = error
        self.redirectURL = redirectURL
    }
}
