import Foundation

/// An S3 server for tests, which `deploy/test` starts. Its URL is in `ZONDA_TEST_S3_URL`: `http://host:port`, or with
/// `accessKey:secretKey@` before the host.
package struct TestS3: Sendable {
    /// The URL, `http://host:port`.
    package let url: String
    /// The access key, which has all permissions.
    package let accessKey: String
    /// The secret key that belongs to ``accessKey``.
    package let secretKey: String

    /// The server of this run; nil if there is none.
    package static let current = ProcessInfo.processInfo.environment["ZONDA_TEST_S3_URL"].flatMap { TestS3($0) }

    /// The reason for which a test that needs ``current`` is skipped.
    package static let absence: String = "ZONDA_TEST_S3_URL is not set: deploy/test sets it"

    private init?(_ url: String) {
        guard var parts = URLComponents(string: url) else { return nil }
        accessKey = parts.user ?? "test"
        secretKey = parts.password ?? "test"
        (parts.user, parts.password) = (nil, nil)
        guard let url = parts.string else { return nil }
        self.url = url
    }

    /// Returns the server of this run.
    ///
    /// - Throws: ``TestFailure`` if there is none.
    package static func required() throws(TestFailure) -> TestS3 {
        guard let current else { throw TestFailure(absence) }
        return current
    }
}
