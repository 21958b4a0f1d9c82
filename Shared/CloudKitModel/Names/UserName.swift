/// A user's record name: `_` followed by 32 lower-case hexadecimal digits, opaque to clients and services.
package struct UserName: Hashable, Sendable, CustomStringConvertible {
    /// The name on the wire and in storage; compared exactly, case included.
    package let rawValue: String

    /// Creates a name after checking it. Accepts `_` followed by 32 lower-case hexadecimal digits, and `_world`.
    /// - Throws: `ValidationError` with `user_name_invalid`.
    package init(validating name: String) throws(ValidationError) {
        guard name == Self.world.rawValue || Self.isUserName(name) else {
            throw ValidationError(
                .userNameInvalid, "A user record name must be '_' followed by 32 lower-case hexadecimal digits")
        }
        rawValue = name
    }

    /// Creates a name without checks, for names that have already been checked, such as those read from storage.
    package init(unchecked name: String) { rawValue = name }

    /// The name itself.
    package var description: String { rawValue }

    /// The user of a request without authentication.
    package static let world = UserName(unchecked: "_world")

    private static func isUserName(_ name: String) -> Bool {
        name.utf8.count == 33 && name.utf8.first == UInt8(ascii: "_")
            && name.utf8.dropFirst().allSatisfy { byte in
                (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
                    || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains(byte)
            }
    }
}
