/// The identifier in the link of a share.
package enum ShareLink {
    private static let digits = Array("0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz".utf8)

    /// The number of characters. Each character has nearly 6 random bits, and all of them together have 142.
    package static let length = 24

    /// Returns whether `text` has the form of an identifier.
    package static func isValid(_ text: String) -> Bool {
        text.utf8.count == length && text.utf8.allSatisfy(digits.contains)
    }

    /// Creates an identifier that nobody can guess.
    package static func random() -> String {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    /// Creates an identifier from the numbers of `generator`.
    static func random(using generator: inout some RandomNumberGenerator) -> String {
        String(
            decoding: (0..<length).map { _ in digits[Int.random(in: 0..<digits.count, using: &generator)] },
            as: UTF8.self)
    }
}
